import { afterEach, beforeEach, expect, test } from "bun:test";
import { Sandbox } from "./fixtures/sandbox.ts";

const TOOL = 'export default { description: "Says hello", execute: () => "hello" };\n';

const WORKFLOW = `import { customToolNode, graph } from "@bastani/atomic/graph";
export default () =>
  graph().start(customToolNode({ id: "a", toolName: NAME })).end().compile({ output: ({ outputs }) => outputs.a });
`;

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
  await sandbox.write({
    ".atomic/tools/hello.ts": TOOL,
    ".atomic/tools/loops.ts": "for (;;) {}",
    ".atomic/workflows/good.ts": WORKFLOW.replace("NAME", '"hello"'),
    ".atomic/workflows/endless.ts": WORKFLOW.replace("NAME", '"loops"'),
    ".atomic/workflows/agent.ts": `import { agentNode, graph } from "@bastani/atomic/graph";
export default () => graph().start(agentNode({ id: "a", buildMessage: "Hi", tools: ["hello"] })).end().compile();
`,
  });
});

afterEach(async () => {
  await sandbox.remove();
});

function problem(): string {
  return `${sandbox.project}/.atomic/tools/loops.ts: Loading did not finish within 10000 ms. Look for a loop at the top level that never ends; move slow work into the tool's function.`;
}

test("a file that never returns is one line of the list; the other tools are there", async () => {
  const { exitCode, stdout, stderr } = await sandbox.atomic("tools", "list", "--trust");
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 0,
    stdout: "TOOL   SOURCE  DESCRIPTION\nhello  local   Says hello\n",
    stderr: `Trusted ${sandbox.project}.\nerror: ${problem()}\n`,
  });
});

test.each([
  { args: ["tools", "run", "hello"], says: "hello\n" },
  { args: ["tools", "show", "hello"], says: "Says hello" },
  { args: ["run", "good"], says: "\n\nhello\n" },
])("a call of another tool does not load the file: $args", async ({ args, says }) => {
  const startedAt = performance.now();
  const { exitCode, stdout, stderr } = await sandbox.atomic(...args, "--trust");
  expect({ exitCode, stdout, hasProblem: stderr.includes("loops") }).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining(says),
    hasProblem: false,
  });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test.each([
  { args: ["tools", "run", "loops"], code: 2, channel: "stderr" },
  { args: ["run", "endless"], code: 2, channel: "stderr" },
] as const)("a call of its tool fails with what is wrong with the file: $args", async ({ args, code, channel }) => {
  const result = await sandbox.atomic(...args, "--trust");
  expect(result.exitCode).toBe(code);
  const text = result[channel].replace(/\s+/g, " ");
  expect(text).toContain('The tool "loops" cannot be loaded.');
  expect(text).toContain(problem());
});

test("a step of an agent that names another tool does not load the file", async () => {
  const { exitCode, stdout, stderr } = await sandbox.atomic("run", "agent", "--agent", "scripted", "--trust");
  expect({ exitCode, says: `${stdout}${stderr}`.replace(/\s+/g, " ") }).toEqual({
    exitCode: 0,
    says: expect.not.stringContaining("did not load within"),
  });
});
