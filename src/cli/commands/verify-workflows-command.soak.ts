import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, mkdir, readFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ExitCode } from "../exit-code.ts";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { GATE, GREET, NAME_PROBLEMS, NAMED_FILES, NAMES, TYPED } from "../fixtures/workflow-files.ts";

const MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));

const IMPORTS = `import { graph, subgraphNode, toolNode } from "@bastani/atomic/graph";\n`;
const INVALID = `${IMPORTS}
export default () =>
  graph()
    .start(toolNode({ id: "a", execute: () => 1 }))
    .then(toolNode({ id: "a", execute: () => 2 }))
    .goto("nowhere")
    .end()
    .compile();
`;
const calls = (...names: readonly string[]): string =>
  `${IMPORTS}export default () => graph().start(toolNode({ id: "begin", execute: () => 1 }))${names
    .map((name) => `.then(subgraphNode({ id: "run-${name}", subgraph: "${name}", config: { depth: 2 } }))`)
    .join("")}.end().compile();\n`;

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

/** Installs the TypeScript of this repository in the project, at the place where npm installs it. */
async function installTypeScript(): Promise<void> {
  const modules = join(environment.project, "node_modules");
  await mkdir(join(modules, ".bin"), { recursive: true });
  await symlink(join(MODULES, "typescript"), join(modules, "typescript"));
  await symlink("../typescript/bin/tsc", join(modules, ".bin", "tsc"));
}

/** A program in the place of the compiler. */
async function installCompiler(script: string): Promise<void> {
  const path = join(environment.project, "node_modules/.bin/tsc");
  await environment.write({ "project/node_modules/.bin/tsc": `#!/bin/sh\n${script}\n` });
  await chmod(path, 0o755);
}

async function verify(...args: readonly string[]) {
  const { exitCode, stdout, stderr } = await environment.atomic("workflows", "verify", ...args);
  return { exitCode, stdout: environment.normalise(stdout), stderr: environment.normalise(stderr) };
}

const FOLDER = "<root>/project/.atomic/workflows";
const NO_TYPES = "Types: not checked, the project has no TypeScript in node_modules\n";

test("correct files are ok", async () => {
  await environment.writeWorkflows({ greet: GREET, typed: TYPED });
  expect(await verify()).toEqual({
    exitCode: 0,
    stdout: `ok  greet  ${FOLDER}/greet.ts\nok  typed  ${FOLDER}/typed.ts\n${NO_TYPES}`,
    stderr: "",
  });
});

test("every mistake of every file is reported, with its line, and the exit code is 1", async () => {
  const typed = TYPED.replace('topic: annotation("")', 'topics: annotation("")');
  await environment.writeWorkflows({ greet: GREET, invalid: INVALID, broken: "export default (", typed });
  await environment.write({
    "project/.atomic/workflows/throws.ts": `export default () => {\n  throw new Error("no");\n}`,
  });
  expect(await verify()).toEqual({
    exitCode: 1,
    stdout: `ok  greet  ${FOLDER}/greet.ts\n${NO_TYPES}`,
    stderr: [
      `error: ${FOLDER}/broken.ts:1:16: Syntax error: Unexpected end of file. Correct the file; the rest of it has not been looked at.`,
      `error: ${FOLDER}/invalid.ts:6:6: The graph cannot be compiled: the id "a" is used more than once. Correct the graph's definition.`,
      `error: ${FOLDER}/invalid.ts:7:6: The graph cannot be compiled: "goto_1" routes to "nowhere", which is not a node of the graph. Correct the graph's definition.`,
      `error: ${FOLDER}/throws.ts:2:13: Error: no. Correct the file.`,
      `error: ${FOLDER}/typed.ts: The input "topic" has no field of this name in the state, so no run could start with it. Add the field to defineState(), or rename the input. The nearest one is "topics".`,
      "",
    ].join("\n"),
  });
});

test("one workflow is verified by its name, its alias or its file", async () => {
  await environment.writeWorkflows({ greet: GREET, invalid: INVALID });
  const greet = { exitCode: ExitCode.done, stdout: `ok  greet  ${FOLDER}/greet.ts\n${NO_TYPES}`, stderr: "" };
  expect(await verify("greet")).toEqual(greet);
  expect(await verify("HELLO")).toEqual(greet);
  expect(await verify(".atomic/workflows/greet.ts")).toEqual(greet);
  expect(await verify("invalid")).toMatchObject({ exitCode: 1, stdout: NO_TYPES });
});

test("a broken file is verified by its name", async () => {
  await environment.writeWorkflows({ greet: GREET, broken: "export const x = 1;" });
  const { exitCode, stdout } = await environment.atomic("workflows", "verify", "broken", "--json");
  const noTypes = { type: "skipped", reason: "there are no TypeScript files" };
  expect({ exitCode, shown: JSON.parse(stdout) }).toEqual({
    exitCode: 1,
    shown: {
      claudeScripts: [],
      isValid: false,
      workflows: [],
      problems: [
        {
          path: join(environment.project, ".atomic/workflows/broken.ts"),
          message: "The file has no default export, so there is no workflow in it.",
          remedy: expect.stringContaining("Add one"),
          severity: "error",
        },
      ],
      types: noTypes,
    },
  });
});

test("workflows that run each other are a cycle with its path, whatever the spelling and the config", async () => {
  await environment.writeWorkflows({
    one: calls("TWO"),
    two: `export const aliases = ["second"];\n${calls("three")}`,
    three: calls("one"),
    four: calls("second", "tree"),
  });
  expect(await verify()).toMatchObject({
    exitCode: 1,
    stderr: [
      `error: ${FOLDER}/four.ts: The node "run-tree" runs the workflow "tree", which does not exist or cannot be loaded. Did you mean "three"?`,
      `error: ${FOLDER}/one.ts: Workflows run each other in a cycle: one → two → three → one. Remove one of these steps.`,
      `error: ${FOLDER}/three.ts: Workflows run each other in a cycle: three → one → two → three. Remove one of these steps.`,
      `error: ${FOLDER}/two.ts: Workflows run each other in a cycle: two → three → one → two. Remove one of these steps.`,
      "",
    ].join("\n"),
  });
});

test("settings that a called workflow does not have are reported", async () => {
  await environment.writeWorkflows({
    outer: `import { graph, subgraphNode } from "@bastani/atomic/graph";
export default () => graph().start(subgraphNode({ id: "in", subgraph: "ralph", config: { maxIteration: 1 } })).end().compile();
`,
  });
  expect(await verify()).toMatchObject({
    exitCode: 1,
    stderr: `error: ${FOLDER}/outer.ts: The node "in" sets "maxIteration" of the workflow "ralph", which has no such setting. Did you mean "maxIterations"?\n`,
  });
});

test("names and static arguments that no run would accept are reported, each workflow's own registrations excepted", async () => {
  const register = `getToolRegistry().register({ name: "own", description: "Own", inputSchema: {}, handler: () => 1 });`;
  const call = `import { customToolNode, getToolRegistry, graph } from "@bastani/atomic/graph";
export default () => graph().start(customToolNode({ id: "call", toolName: "own" })).end().compile();
`;
  await environment.writeWorkflows({ names: NAMES, registers: `${call}${register}`, unregistered: call });
  await environment.writeProject(NAMED_FILES);
  const rules = [{ effect: "deny", tools: ["shell"], commands: ["rm *"] }];
  await environment.write({ "home/.atomic/config.json": JSON.stringify({ permissions: { rules } }) });
  expect(await verify()).toEqual({
    exitCode: 1,
    stdout: `ok  registers  ${FOLDER}/registers.ts\n${NO_TYPES}`,
    stderr: [
      ...NAME_PROBLEMS.map((problem) => problem.replace(": ", `: ${FOLDER}/names.ts: `)),
      `error: ${FOLDER}/unregistered.ts: The node "call" needs the tool "own", which does not exist. Known tools: greet.`,
      "",
    ].join("\n"),
  });
});

test("misspelled names in lists of tools are warnings, with the nearest tool of an agent, a file or the session", async () => {
  const lists = `import { agentNode, graph, subagentNode } from "@bastani/atomic/graph";
const tools = [{ name: "deploy", description: "Deploys", inputSchema: {}, handler: () => 1 }];
export default () =>
  graph()
    .start(agentNode({ id: "look", buildMessage: "Look", tools: ["raed", "greeet", "dploy", "other"], sessionConfig: { tools } }))
    .then(subagentNode({ id: "check", agentName: "explore", task: "Look", tools: ["greet", "Bsah(git:*)"] }))
    .end()
    .compile();
`;
  await environment.writeWorkflows({ lists });
  await environment.writeProject(NAMED_FILES);
  const warnings = [
    'The tools of the node "look" include "raed", which Atomic does not know. Did you mean "read"?',
    'The tools of the node "look" include "greeet", which Atomic does not know. Did you mean "greet"?',
    'The tools of the node "look" include "dploy", which Atomic does not know. Did you mean "deploy"?',
    'The tools of the node "check" include "Bsah", which Atomic does not know. Did you mean "Bash"?',
  ];
  expect(await verify()).toEqual({
    exitCode: 0,
    stdout: `ok  lists  ${FOLDER}/lists.ts\n${NO_TYPES}`,
    stderr: warnings.map((warning) => `warning: ${FOLDER}/lists.ts: ${warning}\n`).join(""),
  });
});

test("workflows that run each other do not start, and the error has the path of the cycle", async () => {
  await environment.writeWorkflows({ one: calls("two"), two: calls("three"), three: calls("one") });
  const { exitCode, stdout, stderr } = await environment.atomic("run", "one");
  expect(exitCode).toBe(2);
  expect(`${stdout}${stderr}`).toContain(
    "Workflows run each other in a cycle: one → two → three → one. Remove one of these steps.",
  );
});

test("the project's own TypeScript checks the types, without installed packages and types", async () => {
  await installTypeScript();
  const provided = `import { readFileSync } from "node:fs";
import { text } from "./_helper.ts";
export const read = (): string => readFileSync(text) + process.cwd();
`;
  await environment.writeWorkflows({
    typed: TYPED,
    wrong: GREET.replace('prompt + " "', "prompt.lenght + "),
    uses: `${provided}${GREET}`,
    _helper: "export const text: string = 1;\n",
  });
  const { exitCode, stdout, stderr } = await verify();
  expect({ exitCode, stdout, stderr: stderr.split("\n").toSorted() }).toEqual({
    exitCode: 1,
    stdout: `ok  typed  ${FOLDER}/typed.ts\nok  uses  ${FOLDER}/uses.ts\nTypes: checked\n`,
    stderr: [
      "",
      `error: ${FOLDER}/_helper.ts:1:14: TS2322: Type 'number' is not assignable to type 'string'. Correct the type.`,
      `error: ${FOLDER}/wrong.ts:12:62: TS2551: Property 'lenght' does not exist on type 'string'. Did you mean 'length'?`,
      `warning: ${FOLDER}/wrong.ts: The alias "hello" of "wrong" is taken by "uses" (${FOLDER}/uses.ts). Remove the alias, or choose another one; "wrong" works without it.`,
    ],
  });
});

test("the project's tsconfig decides about strictness, and its output settings do not matter", async () => {
  await installTypeScript();
  const loose = GREET.replace("export default", "export const twice = (text) => text + text;\nexport default");
  await environment.writeWorkflows({ greet: loose });
  const strict = await verify();
  expect({ exitCode: strict.exitCode, stderr: strict.stderr.replace(/:\d+:\d+:/, ":") }).toEqual({
    exitCode: 1,
    stderr: `error: ${FOLDER}/greet.ts: TS7006: Parameter 'text' implicitly has an 'any' type. Correct the type.\n`,
  });
  const compilerOptions = {
    strict: false,
    composite: true,
    isolatedDeclarations: true,
    rootDir: "src",
    outDir: "dist",
  };
  await environment.write({
    "project/tsconfig.json": JSON.stringify({ compilerOptions, references: [{ path: "gone" }] }),
  });
  expect(await verify()).toEqual({
    exitCode: 0,
    stdout: `ok  greet  ${FOLDER}/greet.ts\nTypes: checked\n`,
    stderr: "",
  });
});

test.each([
  {
    title: "is too old",
    // The second argument is the file with the settings.
    script: `echo "$2(1,90): error TS6046: Argument for '--moduleResolution' option must be: 'node'."; exit 2`,
    reason: "TS6046: Argument for '--moduleResolution' option must be: 'node'. TypeScript 5 or newer is needed.",
  },
  { title: "does not start", script: "echo 'no node here' >&2; exit 127", reason: "no node here" },
  { title: "fails without a word", script: "exit 3", reason: "it ended with exit code 3 and no message" },
])("a compiler that $title is reported, and the rest is verified", async ({ script, reason }) => {
  await installCompiler(script);
  await environment.writeWorkflows({ greet: GREET });
  expect(await verify()).toEqual({
    exitCode: 0,
    stdout: `ok  greet  ${FOLDER}/greet.ts\nTypes: not checked, <root>/project/node_modules/.bin/tsc failed: ${reason}\n`,
    stderr: "",
  });
});

test("a compiler that lacks an option which it need not know checks the types", async () => {
  await installCompiler(`echo "$2(1,90): error TS5023: Unknown compiler option 'isolatedDeclarations'."; exit 2`);
  await environment.writeWorkflows({ greet: GREET });
  expect((await verify()).stdout).toEndWith("Types: checked\n");
});

test("nothing of an untrusted project is run, its compiler included", async () => {
  const marker = join(environment.root, "marker");
  await installCompiler(`touch '${marker}'`);
  await environment.write({
    "project/.atomic/workflows/greet.ts": `import { writeFileSync } from "node:fs";\nwriteFileSync("${marker}", "");\n${GREET}`,
    "home/.atomic/workflows/mine.ts": GREET,
  });
  expect(await verify()).toEqual({
    exitCode: 2,
    stdout: "",
    stderr:
      "error: You have not trusted this project yet, so its workflow file was not loaded.\n       Look at it, then call again with --trust.\n       (USAGE)\n",
  });
  expect((await verify("greet")).exitCode).toBe(2);
  expect(await Bun.file(marker).exists()).toBe(false);
  expect((await verify("--trust")).exitCode).toBe(0);
  expect(await Bun.file(marker).exists()).toBe(true);
  expect(dirname(marker)).toBe(environment.root);
});

test("without workflow files the way to the first one is shown", async () => {
  expect(await verify()).toEqual({
    exitCode: 0,
    stdout: "There are no workflow files here. Create one with: atomic workflows new NAME\n",
    stderr: "",
  });
  expect(await verify("ralph")).toMatchObject({
    exitCode: 2,
    stderr: 'error: The workflow "ralph" is built in, so there is no file to verify.\n       (USAGE)\n',
  });
  expect((await verify("gone")).stderr).toStartWith('error: There is no workflow "gone".');
});

test("a workflow script is verified by its name, and not executed", async () => {
  await environment.write({
    "home/.claude/workflows/good.js": 'export const meta = { name: "good" };\nthrow new Error("executed");',
    "home/.claude/workflows/poor.js": 'export const meta = { name: "poor" };\nDate.now();',
  });
  const path = `${environment.root}/home/.claude/workflows`;
  expect(await environment.atomic("workflows", "verify", "good")).toEqual({
    exitCode: 0,
    stdout: `ok  good  ${path}/good.js (a workflow script)\n`,
    stderr: "",
  });
  const { exitCode, stdout } = await environment.atomic("workflows", "verify", "poor", "--json");
  const { isValid, claudeScripts, problems } = JSON.parse(stdout);
  expect({ exitCode, isValid, claudeScripts, count: problems.length }).toEqual({
    exitCode: 1,
    isValid: false,
    claudeScripts: [],
    count: 1,
  });
});

test("without a name, scripts are verified as well: what they use, the scripts that they run, and the worktrees that they need", async () => {
  const meta = (name: string): string => `export const meta = { name: "${name}" };\n`;
  await environment.write({
    "home/.claude/workflows/calls.js": `${meta("calls")}await workflow("nobody");\nawait workflow("Called");`,
    "home/.claude/workflows/called.js": `${meta("called")}await agent("Look", { agentType: "exlpore" });`,
    "home/.claude/workflows/apart.js": `${meta("apart")}await agent("Look", { isolation: "worktree" });`,
    "home/.claude/workflows/good.js": `${meta("good")}throw new Error("executed");`,
  });
  const folder = "<root>/home/.claude/workflows";
  const known = "ralph, loop, atomic, review, write, apart, called, calls, good";
  expect(await verify()).toEqual({
    exitCode: 1,
    stdout: `ok  good  ${folder}/good.js (a workflow script)\n`,
    stderr: [
      `error: ${folder}/apart.js:2:23: An agent asks for isolation: "worktree", and the project is no git repository. Run git init and commit, or remove the option.`,
      `error: ${folder}/called.js: The node "script" (${folder}/called.js:2:23) needs the agent "exlpore", which does not exist. Did you mean "explore"?`,
      `error: ${folder}/calls.js: The node "script" (${folder}/calls.js:2:7) runs the workflow "nobody", which does not exist or cannot be loaded. Known workflows: ${known}.`,
      "",
    ].join("\n"),
  });
  await mkdir(join(environment.project, ".git"));
  expect((await verify("apart")).exitCode).toBe(0);
});

test("of two files with one name, neither is called ok", async () => {
  await environment.writeWorkflows({
    one: `${GATE}export const name = "same";`,
    two: `${GATE}export const name = "same";`,
  });
  const { exitCode, stdout, stderr } = await environment.atomic("workflows", "verify");
  expect({ exitCode, ok: stdout.includes("ok") }).toEqual({ exitCode: 1, ok: false });
  expect(stderr).toContain('Two workflow files have the name "same"');
});

test("the TypeScript script of docs/scripts.md is correct", async () => {
  await installTypeScript();
  const text = await readFile(new URL("../../../docs/scripts.md", import.meta.url), "utf8");
  const [, draft = ""] = /```ts\n(\/\/ \.atomic\/workflows\/draft\.ts\n[\s\S]*?)```/.exec(text) ?? [];
  await environment.writeWorkflows({ draft });
  expect(await verify()).toEqual({
    exitCode: 0,
    stdout: `ok  draft  ${FOLDER}/draft.ts\nTypes: checked\n`,
    stderr: "",
  });
});
