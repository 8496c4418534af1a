import { afterEach, beforeEach, expect, test } from "bun:test";
import { createRedactor } from "../contracts/index.ts";
import type { CliEnvironment } from "./environment.ts";
import { TestEnvironment } from "./fixtures/test-environment.ts";
import { TextStream } from "./fixtures/text-stream.ts";
import { FLAKY, GATE, GREET } from "./fixtures/workflow-files.ts";
import { Workspace } from "./workspace.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

const FILE = "project/.atomic/workflows/greet.ts";

/** What a failed call printed, with the folders replaced. */
async function errorOf(...args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await environment.atomic(...args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  return environment.normalise(stderr);
}

test("a project's workflows run only after it was trusted once, and then from any folder of it", async () => {
  await environment.write({ [FILE]: GREET, "project/.atomic/workflows/gate.ts": GATE, "project/src/x": "" });
  expect(await errorOf("run", "greet", "--agent", "scripted")).toBe(
    [
      'error: The workflow "greet" may be one of this project\'s own, and you have not trusted the project yet.',
      "       Its workflow files run code on your machine:",
      "         - <root>/project/.atomic/workflows/gate.ts",
      "         - <root>/project/.atomic/workflows/greet.ts",
      "       Look at them, then call again with --trust.",
      "       (PROJECT_UNTRUSTED)",
      "",
    ].join("\n"),
  );
  expect((await environment.atomic("run", "greet", "--agent", "scripted", "--trust")).exitCode).toBe(0);
  const call = environment.start(["run", "greet", "--agent", "scripted"], { workingDirectory: "project/src" });
  expect((await call.ended).exitCode).toBe(0);
});

test("of many untrusted files only some are named", async () => {
  const files = Array.from({ length: 8 }, (_, index) => [`project/.atomic/workflows/w${index}.ts`, GREET] as const);
  await environment.write(Object.fromEntries(files));
  const lines = (await errorOf("run", "w1")).split("\n");
  expect(lines.slice(5, 9)).toEqual([
    "         - <root>/project/.atomic/workflows/w3.ts",
    "         - <root>/project/.atomic/workflows/w4.ts",
    "         - and 3 more",
    "       Look at them, then call again with --trust.",
  ]);
});

test("code of an untrusted project does not run", async () => {
  await environment.write({ [FILE]: `${GREET}\nthrow new Error("ran");` });
  await errorOf("run", "greet");
  const { stdout, stderr } = await environment.atomic("workflows", "list");
  expect(stdout).not.toContain("greet");
  expect(stderr).toStartWith("note: 1 workflow file of this project was not loaded");
});

test("a built-in workflow needs no trust, unless a file of the project may stand for it", async () => {
  await environment.write({ [FILE]: GREET });
  expect((await environment.atomic("run", "ralph", "x", "--agent", "scripted")).exitCode).toBe(0);
  await environment.write({ "project/.atomic/workflows/ralph.ts": GREET });
  expect(await errorOf("run", "ralph", "x", "--agent", "scripted")).toContain("(PROJECT_UNTRUSTED)");
});

test("a path of a missing file is reported as missing", async () => {
  const missing = await environment.atomic("run", ".atomic/workflows/nope.ts");
  expect(missing).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: [
      'error: There is no file ".atomic/workflows/nope.ts".',
      "       Correct the path, or list the workflows with: atomic workflows list",
      "       (USAGE)",
      "",
    ].join("\n"),
  });
});

test("a path runs the workflow in that file, also where one of the project has its name, and a resume finds it again", async () => {
  await environment.write({ "home/.atomic/workflows/mine.ts": `export const name = "flaky";\n${FLAKY}` });
  await environment.writeWorkflows({ flaky: GREET });
  expect((await environment.atomic("run", "../home/.atomic/workflows/mine.ts")).exitCode).toBe(1);
  await environment.writeProject({ repaired: "" });
  const [session] = (await environment.store.list()).sessions;
  const { exitCode, stdout } = await environment.atomic("runs", "resume", session?.sessionId ?? "");
  expect({ exitCode, output: stdout.trimEnd().split("\n").at(-1) }).toEqual({ exitCode: 0, output: "2" });
});

const NAMED = (text: string): string => `export const name = "same";
import { graph, toolNode } from "@bastani/atomic/graph";
export default () => graph().start(toolNode({ id: "show", execute: () => "${text}" })).end().compile();
`;

test("two files of one folder with the same name are an error with the paths that run them", async () => {
  await environment.writeWorkflows({ one: NAMED("first"), two: NAMED("second") });
  expect(await errorOf("run", "same")).toBe(
    [
      'error: 2 workflow files have the name "same".',
      "       Run one by its path:",
      "         - atomic run ./.atomic/workflows/one.ts",
      "         - atomic run ./.atomic/workflows/two.ts",
      "       To use the name, give the others another one.",
      "       (WORKFLOW_AMBIGUOUS)",
      "",
    ].join("\n"),
  );
  const { exitCode, stdout } = await environment.atomic("run", "./.atomic/workflows/two.ts");
  expect({ exitCode, output: stdout.trimEnd().split("\n").at(-1) }).toEqual({ exitCode: 0, output: "second" });
});

test("a workflow in a subfolder is listed as a problem, helpers are not, and its name says how to run it", async () => {
  const helper = "export default (name: string) => name;";
  await environment.writeWorkflows({ "sub/same": NAMED("nested"), "sub/_same": NAMED("nested"), "sub/helper": helper });
  const listed = await environment.atomic("workflows", "list");
  expect(environment.normalise(listed.stderr)).toBe(
    "warning: <root>/project/.atomic/workflows/sub/same.ts: It looks like a workflow, but no name finds files in subfolders. Move it to <root>/project/.atomic/workflows, or rename it to _same.ts if it is a helper; its path runs it, too.\n",
  );
  expect(await errorOf("run", "same")).toContain(
    'There is no workflow "same", but there is a file of this name.\n       Name it by its path: ./.atomic/workflows/sub/same.ts\n',
  );
  const { stdout } = await environment.atomic("run", "./.atomic/workflows/sub/same.ts");
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("nested");
});

test("the user's own workflows need no trust", async () => {
  await environment.write({ "home/.atomic/workflows/greet.ts": GREET });
  expect((await environment.atomic("run", "greet", "--agent", "scripted")).exitCode).toBe(0);
});

test.each([
  {
    title: "a syntax error",
    file: GREET.replace("export default () =>", "export default () => }"),
    expected: [
      'error: The workflow "greet" cannot be loaded.',
      "       <root>/project/.atomic/workflows/greet.ts:7:22: Syntax error: Unexpected }. Correct the file; the rest of it has not been looked at.",
      "       (WORKFLOW_BROKEN)",
    ],
  },
  {
    title: "a misspelt name in an import",
    file: GREET.replaceAll("agentNode", "agentNod"),
    expected: [
      'error: The workflow "greet" cannot be loaded.',
      '       <root>/project/.atomic/workflows/greet.ts:1:10: "@bastani/atomic/graph" has no export "agentNod". Did you mean "agentNode"?',
      "       (WORKFLOW_BROKEN)",
    ],
  },
  {
    title: "a misspelt file in an import",
    file: `import "./helpers/shared.ts";\n${GREET}`,
    expected: [
      'error: The workflow "greet" cannot be loaded.',
      '       <root>/project/.atomic/workflows/greet.ts:1:8: Cannot find the file "./helpers/shared.ts". Correct the path, or create the file.',
      "       (WORKFLOW_BROKEN)",
    ],
  },
  {
    title: "no default export",
    file: "export const description = 'x';",
    expected: [
      'error: The workflow "greet" cannot be loaded.',
      expect.stringMatching(/^ {7}<root>\/project\/\.atomic\/workflows\/greet\.ts: .*default/),
      "       (WORKFLOW_BROKEN)",
    ],
  },
  {
    title: "code that throws while it is loaded",
    file: `${GREET}\nthrow new Error("too early");`,
    expected: [
      'error: The workflow "greet" cannot be loaded.',
      expect.stringMatching(
        /^ {7}<root>\/project\/\.atomic\/workflows\/greet\.ts:\d+:\d+: Loading it threw Error: too early\. /,
      ),
      "       (WORKFLOW_BROKEN)",
    ],
  },
  {
    title: "a misspelt method of the builder",
    file: GREET.replace(".end()", ".thn()"),
    expected: [
      'error: The workflow "greet" cannot be built: TypeError: (…).thn is not a function (<root>/project/.atomic/workflows/greet.ts:15:6).',
      '       Did you mean "then"?',
      "       (WORKFLOW_CREATE_FAILED)",
    ],
  },
  {
    title: "a graph that was not compiled",
    file: GREET.replace("    .compile();", "   "),
    expected: [
      'error: The workflow "greet" (<root>/project/.atomic/workflows/greet.ts) does not return a compiled graph.',
      "       End its graph with .end().compile() and return that.",
      "       (WORKFLOW_NOT_A_GRAPH)",
    ],
  },
])("$title: the file, the line and what to do", async ({ file, expected }) => {
  await environment.writeWorkflows({ greet: file });
  expect((await errorOf("run", "greet", "--agent", "scripted")).trimEnd().split("\n")).toEqual<unknown>(expected);
});

test("a broken file does not stop the others, nor stand for a name that was merely misspelt", async () => {
  await environment.writeWorkflows({ broken: "export default (", gate: GATE });
  expect((await environment.atomic("run", "gate")).exitCode).toBe(3);
  expect(await errorOf("run", "gaet")).toContain('Did you mean "gate"?');
});

test("a name that no file has may be in a broken one", async () => {
  await environment.writeWorkflows({ broken: "export const name = 'release';\nexport default (", gate: GATE });
  expect(await errorOf("run", "release")).toBe(
    [
      'error: There is no workflow "release", unless it is in a file that cannot be loaded:',
      "         - <root>/project/.atomic/workflows/broken.ts:2:16: Syntax error: Unexpected end of file. Correct the file; the rest of it has not been looked at.",
      "       List the others with: atomic workflows list",
      "       (WORKFLOW_UNKNOWN)",
      "",
    ].join("\n"),
  );
});

test("a module name that nobody has is not fetched from anywhere", async () => {
  await environment.writeWorkflows({ greet: GREET.replace("@bastani/atomic/graph", "@bastani/atomic/grahp") });
  const main = new URL("main.ts", import.meta.url).pathname;
  const child = Bun.spawn([process.execPath, "--no-install", main, "run", "greet"], {
    cwd: environment.project,
    env: { PATH: process.env.PATH ?? "", HOME: environment.root, ATOMIC_HOME: environment.atomicHome },
    stdout: "pipe",
    stderr: "pipe",
  });
  expect(await child.exited).toBe(2);
  const lines = environment.normalise(await new Response(child.stderr).text()).split("\n");
  expect(lines[1]).toStartWith(
    '       <root>/project/.atomic/workflows/greet.ts:1:92: Cannot find the module "@bastani/atomic/grahp". Did you mean "@bastani/atomic/graph"?',
  );
});

test("a broken file is not replaced without a word by a workflow of its name that is further away", async () => {
  await environment.writeWorkflows({ ralph: "export default 1 +" });
  expect(await errorOf("run", "ralph", "x", "--agent", "scripted")).toContain('The workflow "ralph" cannot be loaded.');
  await environment.write({
    "home/.atomic/workflows/mine.ts": GREET,
    "project/.atomic/workflows/mine.ts": "throw new Error('broken');",
  });
  expect(await errorOf("run", "mine", "x", "--agent", "scripted")).toContain('The workflow "mine" cannot be loaded.');
  await environment.write({ "home/.atomic/workflows/mine.ts": "broken(", "project/.atomic/workflows/mine.ts": GREET });
  expect((await environment.atomic("run", "mine", "x", "--agent", "scripted")).exitCode).toBe(0);
});

test("a file that had to be executed to know its name, and never finishes loading, is named", async () => {
  const stuck = "export const name = await new Promise(() => {});";
  await environment.writeWorkflows({ stuck });
  await environment.write({ "home/.atomic/workflows/greet.ts": GREET });
  const stderr = new TextStream({ isTTY: false, columns: 80 });
  const about = { env: process.env, args: [], workingDirectory: environment.project };
  // The cast is true for all that a workspace reads.
  const workspace = new Workspace(
    {
      ...about,
      userHomeDirectory: `${environment.root}/home`,
      pid: 1,
      startedAt: 0,
      redactor: createRedactor(),
      stderr,
    } as unknown as CliEnvironment,
    { importTimeoutMs: 50 },
  );
  expect((await workspace.findWorkflow("greet", environment.project, undefined)).metadata.name).toBe("greet");
  expect(environment.normalise(stderr.text)).toBe(
    'warning: <root>/project/.atomic/workflows/stuck.ts: Loading did not finish within 50 ms. Move slow work into a node, or into the exported function; look for a top-level "await" that never ends.\n',
  );
});

test("a run imports only the file of its workflow, whatever the others are called", async () => {
  const marks = (name: string) =>
    `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(`${environment.root}/ran`)}, "${name} ");`;
  await environment.writeWorkflows({
    a: `${marks("a")}\n${GREET}\nexport const name = "other";`,
    greet: `${marks("greet")}\n${GREET}`,
    mine: `${marks("mine")}\n${GREET.replace('["hello"]', '["third"]')}\nexport const name = "named";`,
    z: `${marks("z")}\nfor (;;);`,
  });
  for (const name of ["greet", "NAMED", "third"]) {
    expect((await environment.atomic("run", name, "--agent", "scripted")).exitCode).toBe(0);
  }
  // This process has imported each of them once.
  expect(await environment.read("ran")).toBe("greet mine ");
});

test("a name that is computed is found, in a process of its own, and remembered until the file changes", async () => {
  const count = `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(`${environment.root}/ran`)}, "x");`;
  const text = `${count}\n${GREET}\nexport const name = ["com", "puted"].join("");`;
  await environment.writeWorkflows({ a: text, gate: GATE });
  expect((await environment.atomic("run", "gate")).exitCode).toBe(3);
  expect(await environment.atomic("workflows", "list")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await environment.read("ran")).toBe("x");
  expect((await environment.atomic("run", "computed", "--agent", "scripted")).exitCode).toBe(0);
  // The process that runs it has imported it, too.
  expect(await environment.read("ran")).toBe("xx");
  expect((await environment.atomic("workflows", "list")).stdout).toMatch(/^computed +hello +local +Greets$/m);
  expect(await environment.read("ran")).toBe("xx");
  await environment.writeWorkflows({ a: text.replace("puted", "bined") });
  expect((await environment.atomic("workflows", "list")).stdout).toMatch(/^combined +hello +local +Greets$/m);
  expect(await environment.read("ran")).toBe("xxx");
});

test("a file whose own text is wrong is executed once, one that throws each time", async () => {
  const count = (name: string): string =>
    `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(`${environment.root}/ran`)}, "${name}");`;
  await environment.writeWorkflows({
    gate: GATE,
    number: `${count("n")}\nexport default 5;`,
    throws: `${count("t")}\nthrow new Error("no");`,
  });
  const first = await environment.atomic("workflows", "list");
  const ran = await environment.read("ran");
  expect([...ran].toSorted().join("")).toBe("nt");
  expect(first.stderr).toContain("number.ts");
  expect(await environment.atomic("workflows", "list")).toEqual(first);
  expect(await environment.read("ran")).toBe(`${ran}t`);
});

test("changed files of a trusted project are reported once, without another question", async () => {
  await environment.write({ [FILE]: GREET, "project/.atomic/workflows/gate.ts": GATE });
  expect((await environment.atomic("run", "gate", "--trust")).stderr).not.toContain("note:");
  await environment.write({ [FILE]: `${GREET}//`, "project/.atomic/workflows/_helper.ts": "export const a = 1;" });
  // A program does not read notes, so a person still has to see it.
  expect((await environment.atomic("run", "gate", "--json")).exitCode).toBe(3);
  const { exitCode, stderr } = await environment.atomic("run", "gate");
  expect({ exitCode, first: stderr.split("\n")[0] }).toEqual({
    exitCode: 3,
    first:
      "note: 2 files are new or have changed since you trusted this project: .atomic/workflows/_helper.ts, .atomic/workflows/greet.ts.",
  });
  expect((await environment.atomic("run", "gate")).stderr).not.toContain("note:");
  await environment.write({ [FILE]: GREET });
  expect((await environment.atomic("workflows", "list")).stderr).toBe(
    "note: 1 file is new or has changed since you trusted this project: .atomic/workflows/greet.ts.\n",
  );
  const agents = Array.from({ length: 12 }, (_, index) => `project/.claude/agents/a${10 + index}.md`);
  await environment.write(Object.fromEntries(agents.map((path) => [path, "Look."])));
  const named = agents.slice(0, 10).map((path) => path.replace("project/", ""));
  // A built-in workflow has agents, too.
  expect((await environment.atomic("run", "ralph", "x", "--agent", "scripted")).stderr).toStartWith(
    `note: 12 files are new or have changed since you trusted this project: ${named.join(", ")}, and 2 more.\n`,
  );
});
