import { expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { PermissionPolicy } from "../../contracts/index.ts";
import {
  CLAUDE_INSTRUCTIONS,
  COPILOT_INSTRUCTIONS,
  type InstructionPlaces,
  loadProjectInstructions,
} from "./project-instructions.ts";

/** By name, the text of a file, or what it is a link to. */
type ProjectFiles = Readonly<Record<string, string | { readonly link: string }>>;

/** The instructions of a project with these files, in the folder `app` of an outer one. */
async function read(
  places: InstructionPlaces,
  files: ProjectFiles,
  { userFolder = "none", permissions }: { readonly userFolder?: string; readonly permissions?: PermissionPolicy } = {},
): Promise<readonly string[]> {
  const outer = await realpath(await mkdtemp(path.join(tmpdir(), "atomic-instructions-")));
  try {
    await mkdir(path.join(outer, "app/.git"), { recursive: true });
    const all: ProjectFiles = { ".env": "SECRET", ...files };
    for (const [name, content] of Object.entries(all)) {
      const file = path.join(outer, "app", name);
      await mkdir(path.dirname(file), { recursive: true });
      await (typeof content === "string" ? writeFile(file, content) : symlink(content.link, file));
    }
    const options = { places, permissions, userFolder: path.join(outer, "app", userFolder) };
    const text = await loadProjectInstructions(path.join(outer, "app"), options);
    return [...text.matchAll(/^Contents of (.*):\n\n(.*)/gm)].map(
      ([, name = "", content]) => `${path.relative(path.join(outer, "app"), name)}: ${content}`,
    );
  } finally {
    await rm(outer, { recursive: true, force: true });
  }
}

test("Claude Code's are those of every folder above, AGENTS.md where there is no other, and the rules", async () => {
  const files = { "CLAUDE.md": "one", "AGENTS.md": "two", ".claude/rules/a/b.md": "three", "../AGENTS.md": "four" };
  expect(await read(CLAUDE_INSTRUCTIONS, files)).toEqual([
    "../AGENTS.md: four",
    "CLAUDE.md: one",
    ".claude/rules/a/b.md: three",
  ]);
});

test("Copilot's are those of the project, and of no folder above it", async () => {
  const files = {
    "AGENTS.md": "one",
    "GEMINI.md": "two",
    ".github/copilot-instructions.md": "three",
    ".github/instructions/a.instructions.md": "four",
    ".github/instructions/b.md": "no instructions",
    "../AGENTS.md": "above",
  };
  expect(await read(COPILOT_INSTRUCTIONS, files)).toEqual([
    ".github/copilot-instructions.md: three",
    "AGENTS.md: one",
    "GEMINI.md: two",
    ".github/instructions/a.instructions.md: four",
  ]);
});

test.each<{ title: string; files: ProjectFiles; told: string[] }>([
  { title: "to another of them counts", files: { "CLAUDE.md": { link: "AGENTS.md" } }, told: ["CLAUDE.md: own"] },
  { title: "to a secret does not", files: { "CLAUDE.md": { link: ".env" } }, told: ["AGENTS.md: own"] },
  {
    title: "in the place of a folder does not where that lies outside",
    files: { ".claude": { link: "../theirs" }, "../theirs/CLAUDE.md": "outside" },
    told: ["AGENTS.md: own"],
  },
])("a link $title", async ({ files, told }) => {
  expect(await read(CLAUDE_INSTRUCTIONS, { "AGENTS.md": "own", ...files })).toEqual(told);
});

test("imports are included where the policy allows reading them, each once", async () => {
  const imports = "@docs/a.md, @.env, @../outside.md and `@docs/code.md`";
  const files = { "CLAUDE.md": imports, "docs/a.md": "@../AGENTS.md @a.md", "AGENTS.md": "own" };
  const others = { "docs/code.md": "code", "../outside.md": "outside" };
  expect(await read(CLAUDE_INSTRUCTIONS, { ...files, ...others })).toEqual([
    `CLAUDE.md: ${imports}`,
    "docs/a.md: @../AGENTS.md @a.md",
    "AGENTS.md: own",
  ]);
});

test("files that a rule denies are not included", async () => {
  const permissions: PermissionPolicy = { rules: [{ effect: "deny", tools: ["read"], paths: ["CLAUDE.md"] }] };
  const files = { "CLAUDE.md": "one", ".claude/CLAUDE.md": "two" };
  expect(await read(CLAUDE_INSTRUCTIONS, files, { permissions })).toEqual([".claude/CLAUDE.md: two"]);
});

test.each<{ exceptTools: readonly string[]; included: readonly string[] }>([
  { exceptTools: ["read"], included: ["CLAUDE.md: one @docs/a.md", "docs/a.md: two", "CLAUDE.local.md: three"] },
  { exceptTools: ["Bash(git:*)"], included: ["CLAUDE.md: one @docs/a.md", "CLAUDE.local.md: three"] },
  { exceptTools: [], included: ["CLAUDE.md: one @docs/a.md", "CLAUDE.local.md: three"] },
  { exceptTools: ["*", "!read"], included: ["CLAUDE.md: one @docs/a.md", "CLAUDE.local.md: three"] },
  { exceptTools: ["*", "!edit"], included: ["CLAUDE.md: one @docs/a.md", "docs/a.md: two", "CLAUDE.local.md: three"] },
  { exceptTools: ["Read(src/**)"], included: ["CLAUDE.md: one @docs/a.md", "CLAUDE.local.md: three"] },
  { exceptTools: ["Read", "!Read(CLAUDE.local.md)"], included: ["CLAUDE.md: one @docs/a.md", "docs/a.md: two"] },
])("a list of tools limits no own files, except with a pattern of files: $exceptTools", async (limit) => {
  const permissions: PermissionPolicy = { rules: [{ effect: "deny", exceptTools: limit.exceptTools }] };
  const files = { "CLAUDE.md": "one @docs/a.md", "CLAUDE.local.md": "three", "docs/a.md": "two" };
  expect(await read(CLAUDE_INSTRUCTIONS, files, { permissions })).toEqual(limit.included);
});

test("a rule about files applies whatever tools it spares", async () => {
  const permissions: PermissionPolicy = { rules: [{ effect: "deny", exceptTools: ["edit"], paths: ["CLAUDE.md"] }] };
  const files = { "CLAUDE.md": "one", ".claude/CLAUDE.md": "two" };
  expect(await read(CLAUDE_INSTRUCTIONS, files, { permissions })).toEqual([".claude/CLAUDE.md: two"]);
});

test("the user's own files, which the agent reads itself, are not included", async () => {
  const files = { "AGENTS.md": "one", ".claude/CLAUDE.md": "the user's" };
  expect(await read(CLAUDE_INSTRUCTIONS, files, { userFolder: ".claude" })).toEqual(["AGENTS.md: one"]);
});

test("where there are none nothing is said", async () => {
  expect(await read(COPILOT_INSTRUCTIONS, {})).toEqual([]);
});
