import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { GATE, TYPED } from "../fixtures/workflow-files.ts";

const FULL = `import { annotation, defineState, graph, subgraphNode, toolNode } from "@bastani/atomic/graph";
export const description = "Does \\u001b[2J all";
export const aliases = ["all", "everything"];
export const version = "1.2.0";
export const minSDKVersion = "0.1.0";
export const stateVersion = 3;
export const isReadOnly = true;
export const defaultConfig = { seconds: 2 };
const State = defineState({ topic: annotation("locks") });
export default () =>
  graph(State)
    .start(toolNode({ id: "first", name: "First", execute: () => 1 }))
    .if((state) => state.topic === "")
    .then(subgraphNode({ id: "inner", subgraph: "gate" }))
    .endif()
    .end()
    .compile();
`;

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

test("a workflow is shown with its metadata, its inputs, its settings and its steps", async () => {
  await environment.writeWorkflows({ full: FULL });
  const { exitCode, stdout, stderr } = await environment.atomic("workflows", "show", "everything");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(environment.normalise(stdout)).toBe(`Workflow full: Does all

File: <root>/project/.atomic/workflows/full.ts (local)
Aliases: all, everything
Version: 1.2.0
Needs Atomic: 0.1.0 or newer
Version of its state: 3
Changes no files, so its runs work beside others.

Inputs, for --input NAME=VALUE:
NAME   KIND  DEFAULT
topic  text  "locks"

Settings, for --config NAME=VALUE:
NAME     KIND    DEFAULT
seconds  number  2

Steps:
  first (First): tool
  if if_1
    inner: subgraph, the workflow "gate"
`);
});

test("declared inputs are shown with their kinds, defaults and descriptions", async () => {
  await environment.writeWorkflows({ typed: TYPED });
  const { stdout } = await environment.atomic("workflows", "show", ".atomic/workflows/typed.ts");
  expect(stdout).toContain(`Call: atomic run typed TOPIC [--input depth=2]

Inputs, for --input NAME=VALUE:
NAME     KIND               DEFAULT     DESCRIPTION
topic    text               (required)  What to look for
depth    whole number       1           How many rounds
mode     one of fast, deep  (required)  How thorough
isDraft  yes or no          false
tags     list, each: text   []
since    text or JSON
`);
  const shown = JSON.parse((await environment.atomic("workflows", "show", "typed", "--json")).stdout);
  expect(shown).toMatchObject({ name: "typed", source: "local", state: { depth: 0 }, outline: ["report: tool"] });
  expect(shown.steps).toEqual([{ id: "report", type: "tool", isBlock: false, depth: 0, facts: [] }]);
  expect(shown.path).toBe(join(environment.project, ".atomic/workflows/typed.ts"));
  expect(shown.inputs.slice(0, 2)).toEqual([
    {
      name: "topic",
      description: "What to look for",
      isRequired: true,
      kind: "text",
      schema: { type: "string", minLength: 3 },
    },
    {
      name: "depth",
      description: "How many rounds",
      isRequired: false,
      default: 1,
      kind: "whole number",
      schema: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    },
  ]);
});

test("a built-in workflow is shown, too", async () => {
  const { exitCode, stdout } = await environment.atomic("workflows", "show", "ralph");
  expect(exitCode).toBe(0);
  expect(stdout).toContain('\n\nBuilt in\nCall: atomic run ralph "<prompt-or-spec-path>" [--verify COMMAND]\n');
});

test("the graph is printed as Mermaid, or as JSON with its nodes and edges", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const text = await environment.atomic("workflows", "graph", "gate");
  expect(text).toEqual({
    exitCode: 0,
    stdout: `flowchart TD
  start([start])
  n0["prepare"]
  n1[/"approve"/]
  finish([end])
  n1 --> finish
  n0 --> n1
  start --> n0
`,
    stderr: "",
  });
  const { stdout } = await environment.atomic("workflows", "graph", "gate", "--json");
  expect(JSON.parse(stdout)).toEqual({
    workflow: "gate",
    mermaid: text.stdout,
    nodes: [
      { id: "prepare", type: "tool", name: "prepare" },
      { id: "approve", type: "wait" },
    ],
    edges: [{ from: "prepare", to: "approve" }],
    startNode: "prepare",
    endNodes: ["approve"],
  });
});

test.each(["show", "graph"])(
  "workflows %s names what it cannot find or build, and runs no untrusted file",
  async (command) => {
    await environment.write({ "project/.atomic/workflows/gate.ts": GATE });
    const untrusted = await environment.atomic("workflows", command, "gate");
    expect(untrusted.exitCode).toBe(2);
    expect(untrusted.stderr).toContain("(PROJECT_UNTRUSTED)");
    expect((await environment.atomic("workflows", command, "gate", "--trust")).exitCode).toBe(0);
    const unknown = await environment.atomic("workflows", command, "gatee");
    expect(unknown.exitCode).toBe(2);
    expect(unknown.stderr).toContain('Did you mean "gate"?');
    await environment.writeWorkflows({ throws: 'export default () => { throw new Error("no"); }' });
    const broken = await environment.atomic("workflows", command, "throws", "--json");
    expect(broken).toMatchObject({ exitCode: 2, stderr: "" });
    expect(JSON.parse(broken.stdout)).toMatchObject({ type: "error", code: "WORKFLOW_CREATE_FAILED" });
  },
);

test("a workflow script is shown by its name and by its path, with what its text says, and not executed", async () => {
  await environment.write({
    "home/.claude/workflows/audit.js":
      'export const meta = { name: "audit", description: "Audits \\u001b[2J all", phases: [{ title: "Find" }, "Fix"] };\nawait agent("Look", { phase: "Find" });\nagent(args.goal);',
  });
  const path = "<root>/home/.claude/workflows/audit.js";
  for (const name of ["audit", `${environment.root}/home/.claude/workflows/audit.js`]) {
    const { exitCode, stdout } = await environment.atomic("workflows", "show", name);
    expect(exitCode).toBe(0);
    const shown = environment.normalise(stdout);
    expect(shown).toContain(`File: ${path} (`);
    expect(shown).toEndWith(
      "\n\nInputs, for --input NAME=VALUE, which it reads as args: goal\n\nPhases: Find, Fix\nAgents: at most 2\n  Find: Look (line 2)\n  an agent (line 3)\n",
    );
  }
  const { stdout } = await environment.atomic("workflows", "show", "audit", "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    name: "audit",
    script: { phases: ["Find", "Fix"], maxAgents: 2, args: ["goal"] },
  });
});

test("a script that reads no input, one that reads all of it, and one in TypeScript say what they take", async () => {
  const meta = "export const meta = { name: ";
  await environment.write({
    "home/.claude/workflows/none.js": `${meta}"none" };\nawait agent("Go");`,
    "home/.claude/workflows/all.js": `${meta}"all" };\nawait agent(args);`,
  });
  await environment.writeWorkflows({
    typed:
      'import { script } from "@bastani/atomic/graph";\nexport default script(async ({ agent, args }) => agent(`${args}`));',
  });
  const takenBy = async (name: string): Promise<string | undefined> =>
    (await environment.atomic("workflows", "show", name)).stdout.split("\n\n")[2];
  expect(await takenBy("none")).toBe("It reads no input.");
  const any = "It takes any input. Its args are the prompt, or an object with each --input NAME=VALUE.";
  expect([await takenBy("all"), await takenBy("typed")]).toEqual([any, any]);
});
