import { afterEach, beforeEach, expect, test } from "bun:test";
import { waitUntil } from "../../testkit/conformance/wait-until.ts";
import { type Call, runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";
import { readPublished } from "../prompts/published-permissions.ts";

/** Asks the same in each turn of a loop. */
const LOOP = `import { annotation, defineState, graph, nodes } from "@bastani/atomic/graph";
const State = defineState({ count: annotation(0) });
const { waitNode } = nodes(State);
const ask = waitNode({ id: "ask", prompt: "Ship it?", inputMapper: (_, { count }) => ({ count: count + 1 }) });
export default () => graph(State).loop(ask, { id: "asks", until: ({ count }) => count === 2 }).end().compile();
`;

/** Two branches that ask for a permission each, as agents would. */
const PERMISSIONS = `import { graph, parallelNode, toolNode } from "@bastani/atomic/graph";
const asks = (id) => toolNode({ id, name: "Step " + id, execute: async (_, { services, signal }) => {
  const about = { id: "p", sessionId: "s", kind: "shell", toolName: "bash", title: id, command: id, paths: [], step: "Step " + id };
  return (await services.sessionConfig.onPermissionAsk(about, { signal })).type;
} });
export default () => graph().parallel([asks("build"), asks("deploy")]).end().compile();
`;

let environment: TestEnvironment;
const calls: Call[] = [];

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(async () => {
  for (const call of calls) call.signal();
  await Promise.all(calls.splice(0).map(({ ended }) => ended));
  await environment.remove();
});

const atomic = (...args: readonly string[]) => environment.atomic(...args);

/** The lines of JSON in an output. */
function linesOf(stdout: string): readonly Record<string, unknown>[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** What the events about questions in an output name. */
function idsIn(stdout: string): readonly unknown[] {
  return linesOf(stdout).flatMap(({ type, request, requestId }) => {
    if (type === "answer") return [requestId];
    // The cast is true: the events of runs are typed.
    return type === "request" ? [(request as { readonly id: string }).id] : [];
  });
}

test("JSON has the id that answers only this question of a loop", async () => {
  await environment.writeWorkflows({ loop: LOOP });
  const run = await atomic("run", "loop", "--json");
  expect(idsIn(run.stdout)).toEqual(["ask#1"]);
  const runId = runIdIn(run.stdout);
  const { requests } = JSON.parse((await atomic("runs", "show", runId, "--json")).stdout);
  expect(requests).toMatchObject([{ id: "ask#1", nodeId: "ask" }]);
  const answered = await atomic("runs", "answer", runId, "yes", "--request", requests[0].id, "--json");
  expect([answered.exitCode, idsIn(answered.stdout)]).toEqual([3, ["ask#1", "ask#2"]]);
  expect(await atomic("runs", "answer", runId, "yes", "--request", requests[0].id, "--json")).toMatchObject({
    exitCode: 2,
    stdout: expect.stringContaining("has been answered already."),
  });
  expect(idsIn((await atomic("runs", "watch", runId, "--json")).stdout)).toEqual(["ask#1", "ask#1", "ask#2"]);
});

test("a question with the time of a clock that somebody has set back is answered without its exact name", async () => {
  await environment.writeWorkflows({ loop: LOOP });
  const { now } = Date;
  Date.now = () => now() + 3_600_000;
  let runId: string;
  try {
    runId = runIdIn((await atomic("run", "loop")).stdout);
  } finally {
    Date.now = now;
  }
  expect((await atomic("runs", "answer", runId, "yes")).exitCode).toBe(3);
});

test("an answer for a node without a question names the open ones, and the run", async () => {
  await environment.writeWorkflows({ loop: LOOP });
  const runId = runIdIn((await atomic("run", "loop")).stdout);
  const { exitCode, stdout } = await atomic("runs", "answer", runId, "yes", "--request", "aks", "--json");
  expect([exitCode, linesOf(stdout)]).toEqual([
    2,
    [
      {
        type: "error",
        runId,
        code: "REQUEST_UNKNOWN",
        message: 'There is no open question "aks". Open questions: ask#1.',
      },
    ],
  ]);
});

/** A run in progress with two permission requests, by their steps. */
async function startAsking(): Promise<{
  readonly runId: string;
  readonly ids: Readonly<Record<string, string>>;
  readonly run: Call;
}> {
  await environment.writeWorkflows({ asking: PERMISSIONS });
  const run = environment.start(["run", "asking", "--ask", "10m", "--json"]);
  calls.push(run);
  await run.stdout.waitFor("permission-request");
  const runId = runIdIn(run.stdout.text);
  const directory = environment.store.directoryOf(runId);
  await waitUntil(() => readPublished(directory).length === 2, "there are not two requests");
  const ids = Object.fromEntries(readPublished(directory).map(({ id, request }) => [request.title, id]));
  return { runId, ids, run };
}

test("a permission request is answered by its node, and by its id; a wrong name lists the open ones", async () => {
  const { runId, ids, run } = await startAsking();
  const open = [ids.build, ids.deploy].map((id, index) => `${id} (Step ${index === 0 ? "build" : "deploy"})`);
  const wrong = await atomic("runs", "answer", runId, "allow", "--request", "test", "--json");
  expect([wrong.exitCode, linesOf(wrong.stdout)]).toEqual([
    2,
    [
      {
        type: "error",
        runId,
        code: "REQUEST_UNKNOWN",
        message: expect.stringMatching(
          /^There is no open question "test"\. Open questions: permission-.* \(Step .*\)\.$/,
        ),
      },
    ],
  ]);
  for (const one of open) expect(wrong.stdout).toContain(one);
  const unknown = await atomic("runs", "answer", runId, "allow", "--request", "permission-000000", "--json");
  expect(unknown.exitCode).not.toBe(0);
  expect(linesOf(unknown.stdout)[0]).toMatchObject({ runId });
  for (const one of open) expect(unknown.stdout).toContain(one);
  expect((await atomic("runs", "answer", runId, "allow")).stderr).toContain("Say which one:");
  expect((await atomic("runs", "answer", runId, "deny", "--request", "deploy")).exitCode).toBe(0);
  expect((await atomic("runs", "answer", runId, "allow", "--request", ids.build ?? "")).exitCode).toBe(0);
  const { exitCode, stdout } = await run.ended;
  expect([exitCode, JSON.stringify(linesOf(stdout)).includes('"deny"')]).toEqual([0, true]);
});

test.each([
  { flags: ["--agent", "scripted"], named: "--agent" },
  { flags: ["--record", "r.jsonl"], named: "--record" },
  { flags: ["--detach"], named: "--detach" },
])("the answer to a permission request rejects $named, which could not change anything", async ({ flags, named }) => {
  const { runId, ids } = await startAsking();
  expect(await atomic("runs", "answer", runId, "allow", "--request", ids.build ?? "", ...flags)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`error: ${named} cannot change a run that another process executes`),
  });
});

test("an answer that is too long leaves the question open", async () => {
  await environment.writeWorkflows({ loop: LOOP });
  const runId = runIdIn((await atomic("run", "loop", "--json")).stdout);
  const { exitCode, stderr } = await atomic("runs", "answer", runId, "x".repeat(100_001));
  expect([exitCode, stderr]).toEqual([
    2,
    [
      "error: Too long to send: 100,001 characters; the most is 100,000.",
      "       Put the text into a file, and name the file.",
      "       (USAGE)\n",
    ].join("\n"),
  ]);
  expect(JSON.parse((await atomic("runs", "show", runId, "--json")).stdout).requests).toMatchObject([{ id: "ask#1" }]);
});

test("an option with control characters is chosen as it is printed", async () => {
  const labels = ["yes\\u001b[2J", "yes\\u202e", "no"];
  const options = `[${labels.map((label) => `{ label: "${label}" }`).join(", ")}]`;
  await environment.writeWorkflows({
    gate: `import { graph, waitNode } from "@bastani/atomic/graph";
export default () => graph().start(waitNode({ id: "gate", prompt: "Ship it?", options: ${options} })).end().compile();
`,
  });
  const run = await atomic("run", "gate");
  const runId = runIdIn(run.stdout);
  const commands = run.stdout.split("\n").filter((line) => line.includes("runs answer "));
  expect(commands).toEqual([
    `  atomic runs answer ${runId} 1 --request 'gate#1'`,
    `  atomic runs answer ${runId} 2 --request 'gate#1'`,
    `  atomic runs answer ${runId} no --request 'gate#1'`,
  ]);
  expect((await atomic("runs", "answer", runId, "2", "--request", "gate#1")).exitCode).toBe(0);
  expect((await environment.store.load(runId)).outputs).toEqual({ gate: "yes\u202e" });
});
