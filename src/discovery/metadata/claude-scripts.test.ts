import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { discoverClaudeScripts, parseClaudeScript } from "./claude-scripts.ts";

let root = "";

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-scripts-")));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

const discover = () =>
  discoverClaudeScripts({ projectDirectory: join(root, "project"), userHomeDirectory: join(root, "home") });

const SCRIPT = `// Finds what is slow.
export const meta = { name: "speed-up", description: "Finds what is slow", phases: ["find", "fix"] };
phase("find");
const found = await agent(\`Look at \${args.path}\`, { schema: { type: "object" } });
if (!found) return null;
return await parallel([() => agent("a"), () => agent("b")]);
`;

test("scripts of the project and of the user are found, and other files are no scripts", async () => {
  await write("project/.claude/workflows/b.js", SCRIPT);
  await write("project/.claude/workflows/a.js", 'export const meta = {};\nlog("x");');
  await write("project/.claude/workflows/helper.js", 'console.log("no script");');
  await write("project/.claude/workflows/late.js", "const a = 1;\nexport const meta = {};");
  await write("project/.claude/workflows/notes.md", "export const meta = {};");
  await write("home/.claude/workflows/mine.js", 'export const meta = { name: "team:mine", description: "Mine" };');
  const workflows = join(root, "project/.claude/workflows");
  expect(await discover()).toEqual({
    scripts: [
      { name: "a", description: "Claude script: a", source: "local", path: join(workflows, "a.js") },
      { name: "speed-up", description: "Finds what is slow", source: "local", path: join(workflows, "b.js") },
      { name: "team:mine", description: "Mine", source: "global", path: join(root, "home/.claude/workflows/mine.js") },
    ],
    problems: [],
  });
});

test("in the home folder, its scripts are the user's", async () => {
  await write("home/.claude/workflows/mine.js", SCRIPT);
  const home = join(root, "home");
  const { scripts } = await discoverClaudeScripts({ projectDirectory: home, userHomeDirectory: home });
  expect(scripts.map(({ name, source }) => [name, source])).toEqual([["speed-up", "global"]]);
});

test("missing folders are empty, and links out of the project are problems", async () => {
  expect(await discover()).toEqual({ scripts: [], problems: [] });
  await write("elsewhere.js", SCRIPT);
  await mkdir(join(root, "project/.claude/workflows"), { recursive: true });
  const link = join(root, "project/.claude/workflows/link.js");
  await symlink("../../../elsewhere.js", link);
  expect(await discover()).toEqual({
    scripts: [],
    problems: [
      {
        path: link,
        message: `The link leads out of its root, to ${join(root, "elsewhere.js")}.`,
        remedy: "Replace the link with the file itself.",
        severity: "error",
      },
    ],
  });
});

test.each([
  {
    title: "a syntax error",
    text: "export const meta = {};\nif (",
    line: 2,
    column: 5,
    message: "Syntax error: Unexpected token.",
    remedy: "Correct the file.",
  },
  {
    title: "computed metadata",
    text: "export const meta = { name: String(1) };",
    line: 1,
    column: 14,
    message: 'The export "meta" is not an object of literals, so it cannot be read without running the script.',
    remedy: 'Write its values down: export const meta = { name: "…", description: "…" };',
  },
  {
    title: "a name that is a path",
    text: 'export const meta = { name: "../x" };',
    line: 1,
    column: 14,
    message: 'The "name" or "description" of "meta" is not what Claude Code accepts.',
    remedy: 'Make "name" a text of letters, digits, "-" and "_", and "description" a text.',
  },
  {
    title: "an import",
    text: 'export const meta = {};\nconst { x } = await import("node:fs");',
    line: 2,
    column: 21,
    message: "A script for Claude Code cannot import anything.",
    remedy: "Remove the import: a script has only the functions that Claude Code provides.",
  },
])("$title is an error", async ({ text, line, column, message, remedy }) => {
  expect(await parseClaudeScript("/p/a.js", text)).toEqual({
    problems: [{ path: "/p/a.js", line, column, message, remedy, severity: "error" }],
  });
});

test("a call that throws there is a warning", async () => {
  const text = "export const meta = {};\nreturn [Math.random(), Date.now()];";
  const { meta, problems } = await parseClaudeScript("/p/a.js", text);
  expect(meta).toEqual({ name: "a", description: "Claude script: a" });
  expect(problems.map(({ column, message, severity }) => ({ column, message, severity }))).toEqual([
    { column: 9, message: "Math.random() throws in a script for Claude Code.", severity: "warning" },
    { column: 24, message: "Date.now() throws in a script for Claude Code.", severity: "warning" },
  ]);
});

test.each([
  { title: "deeply nested code", text: `export const meta = {};\n${"[".repeat(300_000)}` },
  { title: "a binary file", text: "\u0000export const meta\u0001" },
])("$title is one error", async ({ text }) => {
  expect((await parseClaudeScript("/p/a.js", text)).problems).toMatchObject([{ severity: "error" }]);
});
