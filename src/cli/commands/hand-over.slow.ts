import { afterEach, beforeEach, expect, test } from "bun:test";
import { DefaultSaver } from "../../graph/index.ts";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

const saverOf = (runId: string): DefaultSaver =>
  new DefaultSaver({ directory: environment.store.directoryOf(runId), owner: "process 1" });

/** Resolves when a command waits for the process that holds the run. */
async function untilPosted(saver: DefaultSaver, runId: string): Promise<void> {
  while ((await saver.mailbox.receive(runId)).length === 0) await new Promise((resolve) => setImmediate(resolve));
}

const BROKEN = `import { graph, toolNode } from "@bastani/atomic/graph";
const fails = { id: "fails", execute: () => { throw new Error("It broke."); }, retry: { maxAttempts: 1 } };
export default () => graph().start(toolNode(fails)).end().compile();
`;

test.each([
  { command: "skip", exitCode: 0, status: "completed" },
  { command: "retry", exitCode: 1, status: "failed" },
] as const)("runs $command resumes a run that its process releases before it takes the command", async (expected) => {
  await environment.writeWorkflows({ broken: BROKEN });
  const runId = runIdIn((await environment.atomic("run", "broken")).stdout);
  const saver = saverOf(runId);
  const journal = await saver.open(runId, "resume");
  const call = environment.start(["runs", expected.command, runId, "fails"]);
  await untilPosted(saver, runId);
  await journal.close();
  const { exitCode, stdout } = await call.ended;
  expect({ exitCode, status: stdout.split(" ")[0] }).toEqual({ exitCode: expected.exitCode, status: expected.status });
});

const GATE = `import { graph, waitNode } from "@bastani/atomic/graph";
export default () => graph().start(waitNode({ id: "gate", prompt: "Ship it?" })).end().compile();
`;

test("an answer that is given a second time prints the advice about rules once", async () => {
  const rules = [{ effect: "allow", tools: ["shell"], commands: ["npm test*"] }];
  await environment.write({ "home/.atomic/config.json": JSON.stringify({ permissions: { rules } }) });
  await environment.writeWorkflows({ gate: GATE });
  const runId = runIdIn((await environment.atomic("run", "gate")).stdout);
  const saver = saverOf(runId);
  // Another process takes the run while the call loads the workflow, and releases it without the answer.
  await environment.writeWorkflows({ gate: `await globalThis.whenLoaded?.();\n${GATE}` });
  const taken = Promise.withResolvers<Awaited<ReturnType<DefaultSaver["open"]>>>();
  Reflect.set(globalThis, "whenLoaded", async () => {
    Reflect.deleteProperty(globalThis, "whenLoaded");
    taken.resolve(await saver.open(runId, "resume"));
  });
  const call = environment.start(["runs", "answer", runId, "yes"]);
  const journal = await taken.promise;
  await untilPosted(saver, runId);
  await journal.close();
  const { exitCode, stderr } = await call.ended;
  expect(exitCode).toBe(0);
  expect(stderr.split('The rule "allow shell: npm test*"')).toHaveLength(2);
});
