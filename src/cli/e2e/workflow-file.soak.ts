import { afterEach, beforeEach, expect, test } from "bun:test";
import { GATE } from "./fixtures/gate-workflow.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const HELLO = `import { agentNode, graph, defineState, annotation } from "@bastani/atomic/graph";
import { z } from "zod";
const State = defineState({ prompt: annotation("the world"), answer: annotation("") });
export const description = \`Greets in \${z.string().parse("one")} line\`;
export default () =>
  graph(State)
    .start(agentNode({ id: "greet", buildMessage: "Say hello", outputMapper: ({ content }) => ({ answer: content }) }))
    .end()
    .compile();
`;

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
});

afterEach(async () => {
  await sandbox.remove();
});

test("a file of ten lines in an empty folder runs with the scripted agent", async () => {
  await sandbox.write({ ".atomic/workflows/hello.ts": HELLO });
  const { exitCode, stdout, stderr } = await sandbox.atomic("run", "hello", "--agent", "scripted", "--trust");
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^completed {2}hello {2}run [0-9a-z]{12}/);
  expect(stderr).toMatch(
    /^Trusted \S+\.\n▶ hello {2}run [0-9a-z]{12}\n▸ greet\n {2}│ Scripted answer to: Say hello\n✔ greet {2}\d+ms {2}\d+ tokens\n$/,
  );
});

test("project code runs only after it was trusted once", async () => {
  await sandbox.write({ ".atomic/workflows/hello.ts": HELLO });
  const refused = await sandbox.atomic("run", "hello", "--agent", "scripted");
  expect({ exitCode: refused.exitCode, stdout: refused.stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(refused.stderr).toContain("Its workflow files run code on your machine");
  expect(refused.stderr).toContain(`${sandbox.project}/.atomic/workflows/hello.ts`);
  expect(refused.stderr).toContain("call again with --trust");
  expect((await sandbox.atomic("run", "hello", "--agent", "scripted", "--trust")).exitCode).toBe(0);
  expect((await sandbox.atomic("run", "hello", "--agent", "scripted")).exitCode).toBe(0);
});

test.each([
  {
    title: "a syntax error",
    file: HELLO.replace("export default () =>", "export default () => }"),
    expected: [".atomic/workflows/hello.ts:5"],
  },
  {
    title: "a misspelt import",
    file: HELLO.replaceAll("agentNode", "agentNod"),
    expected: [".atomic/workflows/hello.ts:1", '"agentNode"'],
  },
  {
    title: "a misspelt builder method",
    file: HELLO.replace(".compile()", ".compil()"),
    expected: [".atomic/workflows/hello.ts:9", "compil"],
  },
  {
    title: "a graph without an end",
    file: HELLO.replace("    .end()\n", ""),
    expected: [".atomic/workflows/hello.ts:6", "the graph has no end; finish it with end()"],
  },
])("$title is reported with file, line and remedy, and exit code 2", async ({ file, expected }) => {
  await sandbox.write({ ".atomic/workflows/hello.ts": file });
  const { exitCode, stdout, stderr } = await sandbox.atomic("run", "hello", "--agent", "scripted", "--trust");
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  for (const text of expected) expect(stderr).toContain(text);
});

test("a headless run that asks exits with 3 and says how to answer; a new process finishes it", async () => {
  await sandbox.write({ ".atomic/workflows/gate.ts": GATE });
  const asked = await sandbox.atomic("run", "gate", "--trust");
  expect(asked.exitCode).toBe(3);
  const runId = /run ([0-9a-z]{12})/.exec(asked.stdout)?.[1] ?? "";
  expect(asked.stdout).toContain(
    `Waiting for an answer: Ship it?\n  atomic runs answer ${runId} yes --request 'gate#1'\n  atomic runs answer ${runId} no --request 'gate#1'\n`,
  );

  const refused = await sandbox.atomic("runs", "answer", runId, "maybe");
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('The answer to "gate" was rejected: "maybe" is not one of the options.');
  expect(refused.stderr).toContain("Allowed answers: yes, no.");
  expect(JSON.parse((await sandbox.atomic("runs", "show", runId, "--json")).stdout)).toMatchObject({
    status: "suspended",
  });

  const answered = await sandbox.atomic("runs", "answer", runId, "yes");
  expect(answered.exitCode).toBe(0);
  expect(answered.stdout).toMatch(new RegExp(`^completed {2}gate {2}run ${runId}`));
  expect((await sandbox.atomic("runs", "answer", runId, "yes")).exitCode).toBe(2);
});

test("a waiting run resumes with a newer version of its file, which migrates the state", async () => {
  await sandbox.write({ ".atomic/workflows/gate.ts": `${GATE}export const stateVersion = 1;` });
  const asked = await sandbox.atomic("run", "gate", "--trust");
  const runId = /run ([0-9a-z]{12})/.exec(asked.stdout)?.[1] ?? "";
  const newer = `${GATE.replace('answer: annotation("")', 'answer: annotation(""), note: annotation("")')}
export const stateVersion = 2;`;
  await sandbox.write({ ".atomic/workflows/gate.ts": newer });
  const refused = await sandbox.atomic("runs", "answer", runId, "yes", "--trust");
  expect(refused.stderr).toContain("the workflow declares 2: a migration is missing.\n");
  const migrating = `${newer}
export const migrateState = (from, state) => ({ ...state, note: \`was \${from}\` });`;
  await sandbox.write({
    ".atomic/workflows/gate.ts": migrating.replace("({ answer })", "({ answer: String(answer) + 1 })"),
  });
  const answered = await sandbox.atomic("runs", "answer", runId, "yes", "--trust");
  expect([answered.exitCode, refused.exitCode]).toEqual([0, 2]);
});

test("a workflow runs another one by its name, and a question inside it is answered from a new process", async () => {
  await sandbox.write({
    ".atomic/workflows/gate.ts": GATE,
    ".atomic/workflows/outer.ts": `import { graph, subgraphNode } from "@bastani/atomic/graph";
export default () => graph().start(subgraphNode({ id: "inner", subgraph: "gate" })).end().compile();
`,
  });
  const asked = await sandbox.atomic("run", "outer", "--trust");
  expect(asked.exitCode).toBe(3);
  const runId = /run ([0-9a-z]{12})/.exec(asked.stdout)?.[1] ?? "";
  const answered = await sandbox.atomic("runs", "answer", runId, "yes");
  expect({ exitCode: answered.exitCode, stderr: answered.stderr }).toMatchObject({ exitCode: 0 });
  const shown = JSON.parse((await sandbox.atomic("runs", "show", runId, "--json")).stdout);
  expect(shown).toMatchObject({ status: "completed", outputs: { inner: { answer: "yes" } } });
});
