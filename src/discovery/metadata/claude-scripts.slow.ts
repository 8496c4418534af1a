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

test("scripts of the project and of the user are found, and other code is a problem", async () => {
  await write("project/.claude/workflows/b.js", SCRIPT);
  await write("project/.claude/workflows/a.js", 'export const meta = {};\nlog("x");');
  await write("project/.claude/workflows/helper.js", 'console.log("no script");');
  await write("project/.claude/workflows/late.js", "const a = 1;\nexport const meta = {};");
  await write("project/.claude/workflows/typed.ts", SCRIPT);
  await write("project/.claude/workflows/_helper.js", 'console.log("no script");');
  await write("project/.claude/workflows/a.test.js", 'console.log("no script");');
  await write("project/.claude/workflows/computed.js", "export const meta = { name: [1].join() };");
  await write("project/.claude/workflows/notes.md", "export const meta = {};");
  await write("home/.claude/workflows/mine.js", 'export const meta = { name: "team:mine", description: "Mine" };');
  const workflows = join(root, "project/.claude/workflows");
  expect(await discover()).toEqual({
    scripts: [
      { name: "a", description: "Claude script: a", phases: [], source: "local", path: join(workflows, "a.js") },
      {
        name: "speed-up",
        description: "Finds what is slow",
        phases: ["find", "fix"],
        source: "local",
        path: join(workflows, "b.js"),
      },
      {
        name: "team:mine",
        description: "Mine",
        phases: [],
        source: "global",
        path: join(root, "home/.claude/workflows/mine.js"),
      },
    ],
    problems: [
      {
        path: join(workflows, "computed.js"),
        line: 1,
        column: 14,
        message: 'The export "meta" is not an object of literals, so it cannot be read without running the script.',
        remedy: 'Write its values down: export const meta = { name: "…", description: "…" };',
        severity: "error",
      },
      ...["helper.js", "late.js"].map((name) => ({
        path: join(workflows, name),
        message: 'Its first statement is not the export "meta", so it is no script for Claude Code and is not listed.',
        remedy: `Begin it with: export const meta = { name: "…", description: "…" }; or rename it to _${name} if it is a helper.`,
        severity: "warning" as const,
      })),
      {
        path: join(workflows, "typed.ts"),
        message: "Claude Code reads scripts from .js files only, so this one is not listed.",
        remedy: "Rename it to typed.js, or move it to .atomic/workflows if it is Atomic's.",
        severity: "warning",
      },
    ],
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

test("the user's scripts are in Claude Code's own folder, wherever that is", async () => {
  await write("home/.claude/workflows/old.js", SCRIPT);
  await write("claude/workflows/mine.js", SCRIPT);
  const [projectDirectory, userHomeDirectory] = [join(root, "project"), join(root, "home")];
  const claudeConfigDirectory = join(root, "claude");
  expect((await discoverClaudeScripts({ projectDirectory, userHomeDirectory, claudeConfigDirectory })).scripts).toEqual(
    [
      {
        name: "speed-up",
        description: "Finds what is slow",
        phases: ["find", "fix"],
        source: "global",
        path: join(root, "claude/workflows/mine.js"),
      },
    ],
  );
});

/** A list of plugins: whose each is, by its folder. */
async function install(plugins: Readonly<Record<string, readonly ("user" | "project" | "other")[]>>): Promise<void> {
  const projectPath = { user: "", project: join(root, "project"), other: "/elsewhere" };
  const entries = Object.entries(plugins).map(([name, owners]) => [
    `${name}@shop`,
    owners.map((owner) => ({
      scope: owner === "user" ? "user" : "project",
      projectPath: projectPath[owner],
      installPath: join(root, "plugins", name),
    })),
  ]);
  const list = { version: 2, plugins: Object.fromEntries(entries) };
  await write("home/.claude/plugins/installed_plugins.json", JSON.stringify(list));
}

test("scripts of installed plugins have the plugin's name before theirs, unless it is switched off", async () => {
  await install({ good: ["user", "project"], mine: ["project"], off: ["user"], foreign: ["other"] });
  await write("home/.claude/settings.json", '{"enabledPlugins": {"off@shop": false}}');
  await write("plugins/good/.claude-plugin/plugin.json", '{"name": "better"}');
  for (const name of ["good", "mine", "off", "foreign"]) await write(`plugins/${name}/workflows/a.js`, SCRIPT);
  await write("plugins/good/workflows/b.js", "export const meta = {};\nreturn 1;");
  const at = (path: string) => join(root, "plugins", path);
  expect(await discover()).toEqual({
    scripts: [
      {
        name: "better:speed-up",
        description: "Finds what is slow",
        phases: ["find", "fix"],
        source: "global",
        path: at("good/workflows/a.js"),
      },
      {
        name: "better:b",
        description: "Claude script: b",
        phases: [],
        source: "global",
        path: at("good/workflows/b.js"),
      },
      {
        name: "mine:speed-up",
        description: "Finds what is slow",
        phases: ["find", "fix"],
        source: "local",
        path: at("mine/workflows/a.js"),
      },
    ],
    problems: [],
  });
});

test("only a trusted project switches a plugin on", async () => {
  await install({ tool: ["user"] });
  await write("home/.claude/settings.json", '{"enabledPlugins": {"tool@shop": false}}');
  await write("project/.claude/settings.json", '{"enabledPlugins": {"tool@shop": true}}');
  await write("plugins/tool/workflows/a.js", SCRIPT);
  const folders = { projectDirectory: join(root, "project"), userHomeDirectory: join(root, "home") };
  const names = async (isTrusted: boolean) =>
    (await discoverClaudeScripts({ ...folders, isTrusted })).scripts.map(({ name }) => name);
  expect([await names(true), await names(false)]).toEqual([["tool:speed-up"], []]);
});

test("links out of a plugin are problems", async () => {
  await install({ good: ["user"] });
  await write("home/secret.js", SCRIPT);
  await mkdir(join(root, "plugins/good/workflows"), { recursive: true });
  const link = join(root, "plugins/good/workflows/link.js");
  await symlink("../../../home/secret.js", link);
  expect(await discover()).toEqual({
    scripts: [],
    problems: [
      {
        path: link,
        message: `The link leads out of its root, to ${join(root, "home/secret.js")}.`,
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
    message: "A script cannot import anything.",
    remedy: "Remove the import: a script has only the functions that its runtime provides.",
  },
])("$title is an error", async ({ text, line, column, message, remedy }) => {
  expect(await parseClaudeScript("/p/a.js", text)).toEqual({
    problems: [{ path: "/p/a.js", line, column, message, remedy, severity: "error" }],
  });
});

test.each(["let y = 1, a = 2;\na <!--y + `\nhidden();\n//`;", "/* */ --> hidden();", "\n--> hidden();"])(
  "what is a comment only where it is executed is an error: %j",
  async (body) => {
    const { meta, problems } = await parseClaudeScript("/p/a.js", `export const meta = { name: "a" };\n${body}`);
    expect([meta, problems.map(({ message, severity }) => [message, severity])]).toEqual([
      undefined,
      [[expect.stringMatching(/begin a comment in some programs|^Syntax error/), "error"]],
    ]);
  },
);

test("a comparison with a counted-down number is none of these comments", async () => {
  const { meta } = await parseClaudeScript(
    "/p/a.js",
    'export const meta = { name: "a" };\nlet n = 3;\nwhile (n --> 0) await agent("<!-- -->");\nreturn `\n-->`;',
  );
  expect(meta?.name).toBe("a");
});

test("what a script would not have, and what throws there, are errors", async () => {
  const text = [
    'export const meta = { name: "a" };',
    "const now = Date.now();",
    "const made = new Date();",
    "await fetch(String(now));",
    'agent("a", { lable: made });',
    'await parallel([agent("b")]);',
    "return typeof process === 'undefined' ? paralel : args;",
    'await agent("c", { effort: "huge" });',
  ].join("\n");
  const { meta, problems } = await parseClaudeScript("/p/a.js", text);
  expect(meta).toBeUndefined();
  expect(problems.map(({ line, message, remedy, severity }) => `${severity} ${line}: ${message} ${remedy}`)).toEqual([
    "error 2: Date.now() throws in a script. Take the value from args: a resumed run has to come to the same steps.",
    "error 3: new Date() throws in a script. Take the value from args: a resumed run has to come to the same steps.",
    'error 4: A script has no "fetch". Let an agent look it up: agent("…").',
    'error 5: agent() has no option "lable". Did you mean "label"?',
    'warning 5: Nothing waits for this agent, so the script continues at once; the run waits at its end. Write: await agent("…").',
    'error 6: parallel() is given an agent that has started already. Pass a function: () => agent("…").',
    'error 7: A script has no "paralel". Did you mean "parallel"?',
    'error 8: agent() knows no effort "huge". Write one of: none, low, medium, high, xhigh, max.',
  ]);
});

test("the text of a script says which agents it calls, and which names it looks up", async () => {
  const text = [
    'export const meta = { name: "a", phases: [{ title: "One" }] };',
    'phase("One");',
    'const first = await agent("Begin", { agentType: "explore", isolation: "worktree" });',
    'await agent("Think", { label: "think", effort: "xhigh", model: `opus`, agentType: first });',
    'await parallel([() => agent(`Look at ${first}`, { label: "look", phase: "Two" })]);',
    "for (const item of args) await agent(item);",
    'return await workflow("other");',
  ].join("\n");
  const { body } = await parseClaudeScript("/p/a.js", text);
  expect(body).toEqual({
    text: text.replace("export", "      "),
    outline: {
      phases: ["One"],
      agents: [
        { label: "Begin", line: 3, phase: "One", isSingle: true },
        { label: "think", line: 4, phase: "One", isSingle: true },
        { label: "look", line: 5, phase: "Two", isSingle: true },
        { label: "an agent", line: 6, phase: "One", isSingle: false },
      ],
      maxAgents: undefined,
      args: [],
    },
    agentTypes: [{ name: "explore", line: 3, column: 38 }],
    settings: [{ model: "opus", effort: "xhigh", line: 4, column: 22 }],
    workflows: [{ name: "other", line: 7, column: 14 }],
    worktrees: [{ line: 3, column: 60 }],
  });
});

test.each([
  { title: "nothing", text: 'await agent("args", { args: 1 }); const own = {}; own.args;', args: undefined },
  { title: "a list", text: "args.map((item) => item); args.length; args[0];", args: [] },
  {
    title: "members",
    text: "args.topic; args?.depth; args['max-files']; args.topic; args.search;",
    args: ["topic", "depth", "max-files", "search"],
  },
  { title: "patterns", text: "const { files, mode: how = 1, ...rest } = args ?? {};", args: ["files", "mode"] },
  { title: "shorthands", text: "log({ args });", args: [] },
])("of a script's args, the text says which fields it reads: $title", async ({ text, args }) => {
  const { body } = await parseClaudeScript("/p/a.js", `export const meta = { name: "a" };\n${text}`);
  expect(body?.outline.args).toEqual(args);
});

test.each([
  { title: "deeply nested code", text: `export const meta = {};\n${"[".repeat(300_000)}` },
  { title: "a binary file", text: "\u0000export const meta\u0001" },
])("$title is one error", async ({ text }) => {
  expect((await parseClaudeScript("/p/a.js", text)).problems).toMatchObject([{ severity: "error" }]);
});

test("a hostile script with very many lines and imports has ten problems, and one that counts the rest", async () => {
  const text = `export const meta = { name: "h", description: "h" };\n${"\n".repeat(300_000)}${"import'x';".repeat(50_000)}`;
  const { meta, problems } = await parseClaudeScript("/p/h.js", text);
  expect({ meta, count: problems.length, first: problems[0]?.line }).toEqual({
    meta: undefined,
    count: 11,
    first: 300_002,
  });
});

test("a script that imports after ten warnings is broken", async () => {
  const text = `export const meta = { name: "h", description: "h" };\n${"Date.now();\n".repeat(10)}import "x";`;
  const { meta, problems } = await parseClaudeScript("/p/h.js", text);
  expect({ meta, count: problems.length }).toEqual({ meta: undefined, count: 11 });
});

test("large scripts, and many, are problems, and cost a bounded time", async () => {
  const names = Array.from({ length: 9_000 }, (_, index) => `a${index}`).join(",");
  const text = `export const meta = { name: "a" };\nlet ${names};\n`.padEnd(65_000, "/");
  for (let index = 0; index < 20; index++) await write(`project/.claude/workflows/s${index}.js`, text);
  await write("project/.claude/workflows/large.js", `${SCRIPT}//${"x".repeat(70_000)}`);
  const { scripts, problems } = await discover();
  expect(scripts).toHaveLength(8);
  const messages = problems.map(({ message }) => message);
  expect(messages.filter((message) => message.startsWith("It is not read: the scripts"))).toHaveLength(12);
  expect(messages.filter((message) => message.includes("65536 bytes"))).toHaveLength(1);
});

test("links to one script read it once", async () => {
  await write("project/.claude/workflows/a.js", SCRIPT);
  for (let index = 0; index < 20; index++) await symlink("a.js", join(root, `project/.claude/workflows/b${index}.js`));
  expect(await discover()).toMatchObject({ scripts: [{ name: "speed-up" }], problems: [] });
});
