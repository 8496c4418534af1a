import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { FileLockTimeoutError } from "../system/index.ts";
import { createTrustStore, TrustNotSavedError, type TrustStore } from "./trust-store.ts";

let root = "";
let project = "";
let file = "";
let store: TrustStore;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-trust-")));
  project = join(root, "project");
  file = join(root, "home", "trusted-projects.json");
  await mkdir(join(project, "inner"), { recursive: true });
  store = createTrustStore({ homeDirectory: join(root, "home"), clock: () => Date.UTC(2026, 10, 21) });
});
afterEach(() => rm(root, { recursive: true, force: true }));

test("nothing is trusted at first, and asking writes nothing", async () => {
  expect(await store.isTrusted(project)).toBe(false);
  expect(await store.load()).toEqual({ projects: [], problems: [] });
  expect(await readdir(root)).toEqual(["project"]);
});

test("a trusted project stays trusted for a later store, in a file only the user can read", async () => {
  await store.trust(project);
  await store.trust(project);
  const later = createTrustStore({ homeDirectory: join(root, "home") });
  expect(await later.isTrusted(project)).toBe(true);
  expect(await later.load()).toEqual({
    projects: [{ path: project, trustedAt: "2026-11-21T00:00:00.000Z" }],
    problems: [],
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(root, "home"))).mode & 0o777).toBe(0o700);
});

test("the folder itself is trusted, by whichever link it is reached, and neither its parent nor what is in it", async () => {
  await symlink(project, join(root, "link"));
  await store.trust(join(root, "link"));
  expect(await store.isTrusted(project)).toBe(true);
  expect(await store.isTrusted(join(root, "link"))).toBe(true);
  expect(await store.isTrusted(join(project, "inner"))).toBe(false);
  expect(await store.isTrusted(root)).toBe(false);
});

test("a link that is turned to another project does not take the trust along", async () => {
  await symlink(project, join(root, "link"));
  await store.trust(join(root, "link"));
  await rm(join(root, "link"));
  await symlink(join(project, "inner"), join(root, "link"));
  expect(await store.isTrusted(join(root, "link"))).toBe(false);
});

test("revoking forgets one project and says whether it was known", async () => {
  await store.trust(project);
  await store.trust(join(project, "inner"));
  expect(await store.revoke(project)).toBe(true);
  expect(await store.revoke(project)).toBe(false);
  expect(await store.isTrusted(project)).toBe(false);
  expect(await store.isTrusted(join(project, "inner"))).toBe(true);
});

test("the root of the file system is never trusted, whatever the file says", async () => {
  await expect(store.trust("/")).rejects.toThrow(
    "The folder / cannot be trusted: it holds the whole file system. Change to the folder of a project, and call again there.",
  );
  await mkdir(join(root, "home"));
  await writeFile(file, JSON.stringify({ version: 1, projects: [{ path: "/", trustedAt: "x" }] }));
  expect(await store.isTrusted("/")).toBe(false);
});

test("a pipe in place of the list keeps nobody waiting, and an answer that cannot be kept is an error", async () => {
  await mkdir(join(root, "home"));
  execFileSync("mkfifo", [file]);
  expect(await store.isTrusted(project)).toBe(false);
  const blocked = createTrustStore({ homeDirectory: join(file, "home") });
  const error = await blocked.trust(project).catch((caught: unknown) => caught);
  expect(String(error)).toMatch(
    /The list of trusted projects, .+, cannot be written: ENOTDIR: .+\. Make its folder writable, or set ATOMIC_HOME to another one\.$/,
  );
});

test("a project that is gone is not trusted, can be revoked, and cannot be trusted", async () => {
  await store.trust(project);
  await rm(project, { recursive: true });
  expect(await store.isTrusted(project)).toBe(false);
  expect(await store.revoke(project)).toBe(true);
  await expect(store.trust(project)).rejects.toThrow("ENOENT");
});

test.each([
  { title: "no JSON", text: "{ not json" },
  { title: "another shape", text: "[]" },
  { title: "a wrong entry", text: '{ "projects": [{ "path": 7, "trustedAt": "x" }] }' },
  { title: "nothing", text: "" },
])("a file with $title counts as empty, is a problem, and is put aside by the next answer", async ({ text }) => {
  await mkdir(join(root, "home"));
  await writeFile(file, text);
  expect(await store.isTrusted(project)).toBe(false);
  const { projects, problems } = await store.load();
  expect(projects).toEqual([]);
  expect(problems.map(({ path, remedy, severity }) => ({ path, remedy, severity }))).toEqual([
    { path: file, remedy: "Correct or remove the file, then trust your projects again.", severity: "warning" },
  ]);
  expect(problems[0]?.message).toMatch(
    /^The list of trusted projects cannot be used: .+\. No project counts as trusted\.$/,
  );
  await store.trust(project);
  expect(await store.isTrusted(project)).toBe(true);
  expect(await readFile(`${file}.broken`, "utf8")).toBe(text);
});

test("each change of a trusted project's workflow files is returned once", async () => {
  const folder = join(project, ".atomic", "workflows");
  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(join(folder, "lib"), { recursive: true });
    await writeFile(join(folder, name), text);
  };
  await write("a.ts", "1");
  await write("lib/b.ts", "1");
  await write("c.ts", "1");
  expect(await store.takeChangedFiles(project)).toEqual([]);
  await store.trust(project);
  await write("a.ts", "1");
  expect(await store.takeChangedFiles(project)).toEqual([]);
  await write("lib/b.ts", "2");
  await write("d.json", "{}");
  await write("notes.md", "x");
  await rm(join(folder, "c.ts"));
  const later = createTrustStore({ homeDirectory: join(root, "home") });
  expect(await later.takeChangedFiles(project)).toEqual([".atomic/workflows/d.json", ".atomic/workflows/lib/b.ts"]);
  expect(await later.takeChangedFiles(project)).toEqual([]);
  await write("a.ts", "2");
  await store.trust(project);
  expect(await store.takeChangedFiles(project)).toEqual([]);
  expect((await store.load()).projects).toMatchObject([{ path: project, trustedAt: "2026-11-21T00:00:00.000Z" }]);
});

test("changes of everything that trust covers are returned, for every agent, and of nothing else", async () => {
  const write = async (text: string): Promise<void> => {
    const files: Readonly<Record<string, string>> = {
      ".atomic/config.json": `{ "agent": "${text}" }`,
      ".atomic/tools/lint.ts": `import "../../scripts/rules.ts"; // ${text}`,
      "scripts/rules.ts": `import "./more.ts"; // ${text}`,
      "scripts/more.ts": `// ${text}`,
      "scripts/unused.ts": `// ${text}`,
      ".claude/agents/a.md": text,
      ".claude/skills/pdf/run.py": text,
      ".claude/settings.json": `{ "model": "${text}" }`,
      ".github/prompts/b.prompt.md": text,
      ".opencode/command/c.md": text,
      ".mcp.json": `{ "mcpServers": { "x": { "command": "${text}" } } }`,
      ".git/config": `[core]\n\tpager = ${text}\n[branch "main"]\n\tremote = origin\n`,
      ".git/hooks/pre-commit": text,
      "node_modules/typescript/package.json": `{ "version": "${text}" }`,
      "node_modules/typescript/lib/index.js": text,
      ".env": `TOKEN=${text}`,
      "README.md": text,
    };
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(project, path)), { recursive: true });
      await writeFile(join(project, path), content);
    }
  };
  await write("one");
  await store.trust(project);
  await appendFile(join(project, ".git/config"), '[branch "next"]\n\tremote = origin\n');
  expect(await store.takeChangedFiles(project)).toEqual([]);
  await write("two");
  expect(await store.takeChangedFiles(project)).toEqual([
    ".atomic/config.json",
    ".atomic/tools/lint.ts",
    ".claude/agents/a.md",
    ".claude/settings.json",
    ".claude/skills/pdf/run.py",
    ".git/config",
    ".git/hooks/pre-commit",
    ".github/prompts/b.prompt.md",
    ".mcp.json",
    ".opencode/command/c.md",
    "node_modules/typescript/package.json",
    "scripts/more.ts",
    "scripts/rules.ts",
  ]);
  expect(await store.takeChangedFiles(project)).toEqual([]);
});

test("a project that an older version trusted has the files that it has now", async () => {
  await mkdir(join(root, "home"));
  await writeFile(file, JSON.stringify({ version: 1, projects: [{ path: project, trustedAt: "2026-01-01" }] }));
  await mkdir(join(project, ".atomic", "workflows"), { recursive: true });
  await writeFile(join(project, ".atomic", "workflows", "a.ts"), "1");
  expect(await store.takeChangedFiles(project)).toEqual([]);
  await writeFile(join(project, ".atomic", "workflows", "a.ts"), "2");
  expect(await store.takeChangedFiles(project)).toEqual([".atomic/workflows/a.ts"]);
});

test("one large project does not make the list unreadable, and its trust lasts", async () => {
  const other = join(project, "inner");
  await store.trust(other);
  const skills = join(project, ".claude/skills", ...Array.from({ length: 4 }, () => "d".repeat(200)));
  await mkdir(skills, { recursive: true });
  const paths = Array.from({ length: 1_300 }, (_, index) => join(skills, `${index}-${"f".repeat(200)}.md`));
  for (const path of paths) await writeFile(path, "1");
  await store.trust(project);
  expect(await store.load()).toEqual({
    projects: [other, project].map((path) => ({ path, trustedAt: "2026-11-21T00:00:00.000Z" })),
    problems: [],
  });
  expect(await store.isTrusted(project)).toBe(true);
  await writeFile(paths[7] ?? "", "2");
  expect(await store.takeChangedFiles(project)).toEqual([relative(project, paths[7] ?? "")]);
  expect(await store.takeChangedFiles(project)).toEqual([]);
  expect(await store.revoke(project)).toBe(true);
  expect(await readdir(join(root, "home", "trusted-projects"))).toHaveLength(1);
});

test("the hashes that an older version stored in the list are used, and moved out of it by the next change", async () => {
  const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);
  const others = Array.from({ length: 20 }, (_, index) => join(root, `other-${index}`));
  await mkdir(join(root, "home"));
  for (const path of [project, ...others]) {
    await mkdir(join(path, ".claude/agents"), { recursive: true });
    await writeFile(join(path, ".claude/agents/a.md"), "1");
    await writeFile(join(path, ".claude/agents/b.md"), "1");
  }
  // Larger than other files may be.
  const covered = {
    ...Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${index}-${"x".repeat(200)}`, hashOf("")])),
    ".claude/agents/a.md": hashOf("1"),
    ".claude/agents/b.md": hashOf("0"),
  };
  const projects = [project, ...others].map((path) => ({ path, trustedAt: "2026-01-01", covered }));
  await writeFile(file, JSON.stringify({ version: 1, projects }));
  expect(await store.takeChangedFiles(project)).toEqual([".claude/agents/b.md"]);
  expect(await store.takeChangedFiles(project)).toEqual([]);
  const moved = [project, ...others].map((path) => ({ path, trustedAt: "2026-01-01" }));
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ version: 1, projects: moved });
  expect(await store.takeChangedFiles(others[19] ?? "")).toEqual([".claude/agents/b.md"]);
});

test("where the hashes of a project are damaged, it stays trusted and all its files count as changed", async () => {
  await mkdir(join(project, ".claude/agents"), { recursive: true });
  await writeFile(join(project, ".claude/agents/a.md"), "1");
  await store.trust(project);
  const [name = ""] = await readdir(join(root, "home", "trusted-projects"));
  await writeFile(join(root, "home", "trusted-projects", name), "{");
  expect(await store.isTrusted(project)).toBe(true);
  expect(await store.takeChangedFiles(project)).toEqual([".claude/agents/a.md"]);
  expect(await store.takeChangedFiles(project)).toEqual([]);
});

test("a list that is too large is a problem in one sentence", async () => {
  await mkdir(join(root, "home"));
  await writeFile(file, " ".repeat(16_777_217));
  expect((await store.load()).problems.map(({ message }) => message)).toEqual([
    "The list of trusted projects cannot be used: It is larger than 16777216 bytes. No project counts as trusted.",
  ]);
});

test("a setting with very many files hides no change in itself or in another one", async () => {
  const skills = join(project, ".claude/skills");
  await mkdir(skills, { recursive: true });
  for (let index = 1_000; index < 3_100; index++) await writeFile(join(skills, `${index}.md`), "1");
  const agent = join(project, ".opencode/agents/a.md");
  await mkdir(dirname(agent), { recursive: true });
  await writeFile(agent, "1");
  await store.trust(project);
  expect(await store.takeChangedFiles(project)).toEqual([]);
  await writeFile(agent, "2");
  await writeFile(join(skills, "1500.md"), "2");
  expect(await store.takeChangedFiles(project)).toEqual([".claude/skills/1500.md", ".opencode/agents/a.md"]);
  await writeFile(join(skills, "3050.md"), "longer");
  const rest = ".claude/skills (after 1000 files; the rest is not compared one by one)";
  expect(await store.takeChangedFiles(project)).toEqual([rest]);
  expect(await store.takeChangedFiles(project)).toEqual([]);
  await writeFile(join(skills, "4000.md"), "new");
  expect(await store.takeChangedFiles(project)).toEqual([rest]);
});

test.each([
  { title: "after a continued line", text: '[core]\n\teditor = vi \\\n [branch "m"]\n\tfsmonitor = x\n' },
  {
    title: "after a continued line of Windows",
    text: '[core]\r\n\teditor = vi \\\r\n [branch "m"]\r\n\tfsmonitor = x\r\n',
  },
  {
    title: "after a separator that ends no line for git",
    text: '[core]\n\teditor = vi \u2028[branch "m"]\n\tfsmonitor = x\n',
  },
  { title: "in the next section on the same line", text: '[branch "m"][core]\n\tfsmonitor = x\n' },
])("a program of git is compared $title, and branches are not", async ({ text }) => {
  const config = join(project, ".git/config");
  await mkdir(dirname(config));
  await writeFile(config, text);
  await store.trust(project);
  await appendFile(config, '[branch "next"]\n\tremote = origin\n');
  expect(await store.takeChangedFiles(project)).toEqual([]);
  await writeFile(config, text.replace("fsmonitor = x", "fsmonitor = y"));
  expect(await store.takeChangedFiles(project)).toEqual([".git/config"]);
});

test.each([
  { title: "empty lines", text: "\n".repeat(900_000) },
  { title: "one line of spaces", text: `${" ".repeat(900_000)}x` },
  { title: "heads of sections without an end", text: "[branch \n".repeat(100_000) },
])("git settings of $title are compared at once", async ({ text }) => {
  const config = join(project, ".git/config");
  await mkdir(dirname(config));
  await writeFile(config, `[core]\n${text}\n[core]\n\tpager = x\n`);
  await store.trust(project);
  expect(await store.takeChangedFiles(project)).toEqual([]);
  await appendFile(config, "\tfsmonitor = y\n");
  expect(await store.takeChangedFiles(project)).toEqual([".git/config"]);
});

test("trust that changes nothing is not saved, so the list need not be writable", async () => {
  await store.trust(project);
  await rm(`${file}.lock`);
  await store.trust(project);
  expect(await store.revoke(join(project, "inner"))).toBe(false);
  expect((await readdir(join(root, "home"))).sort()).toEqual(["trusted-projects", "trusted-projects.json"]);
});

test("projects that processes trust at the same moment are all trusted", async () => {
  const script = join(import.meta.dirname, "fixtures/trust-process.ts");
  const groups = Array.from({ length: 6 }, (_, group) =>
    Array.from({ length: 5 }, (_, index) => join(root, `project-${group}-${index}`)),
  );
  for (const path of groups.flat()) await mkdir(path);
  const codes = await Promise.all(
    groups.map(async (paths) => {
      const child = spawn(process.execPath, [script, join(root, "home"), ...paths], { stdio: "inherit" });
      return (await once(child, "exit"))[0];
    }),
  );
  expect(codes).toEqual([0, 0, 0, 0, 0, 0]);
  const { projects, problems } = await store.load();
  expect(problems).toEqual([]);
  expect(projects.map(({ path }) => path).toSorted()).toEqual(groups.flat());
});

test("a list that another process keeps locked says what to do", () => {
  const cause = new FileLockTimeoutError(`${file}.lock`, 10_000);
  expect(new TrustNotSavedError(file, { cause }).message).toBe(
    `The list of trusted projects, ${file}, cannot be written: another process has locked ${file}.lock for 10 seconds. Wait for that process, or end it, then try again.`,
  );
});
