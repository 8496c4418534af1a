import { afterAll, beforeAll, expect, test } from "bun:test";
import { waitUntil } from "../../testkit/conformance/wait-until.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const SLOW = `import { annotation, defineState, graph, Reducers, shellNode } from "@bastani/atomic/graph";
const State = defineState({ done: annotation<string[]>([], Reducers.concat) });
const step = (id: string, command: string) =>
  shellNode({ id, command, outputMapper: ({ exitCode }) => {
    if (exitCode !== 0) throw new Error(id + " is broken");
    return { done: [id] };
  } });
export default () =>
  graph(State).start(step("build", "sleep 600")).then(step("check", "test -e repaired")).end().compile();
`;

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.create();
  await sandbox.write({ ".atomic/workflows/slow.ts": SLOW });
});

afterAll(async () => {
  await sandbox.remove();
});

test("a run is steered from other processes, while it runs and after it failed", async () => {
  const run = sandbox.start(["run", "slow", "--trust", "--json"]);
  const { runId } = await run.waitFor(({ type }) => type === "node-start");

  const again = await sandbox.atomic("runs", "retry", runId, "build");
  expect(again).toMatchObject({ exitCode: 0, stdout: `begun again  build  run ${runId}\n`, stderr: "" });
  await run.waitFor((event) => event.type === "node-start" && event.attempt === 2);

  const wrong = await sandbox.atomic("runs", "cancel", runId, "check");
  expect([wrong.exitCode, wrong.stderr]).toEqual([
    2,
    'error: The node "check" is not in progress, and has not failed.\n       Unfinished: build.\n       (NODE_NOT_UNDER_WAY)\n',
  ]);
  const malformed = await sandbox.atomic("runs", "skip", runId, "build", "--update", "{");
  expect([malformed.exitCode, malformed.stderr.includes("--update takes a JSON object")]).toEqual([2, true]);

  const large = await sandbox.atomic("runs", "skip", runId, "build", "--update", '{"done":[1e400]}');
  expect([large.exitCode, large.stderr.includes("a number in it is too large")]).toEqual([2, true]);
  const update = '{"done":["build, by hand"]}';
  const skipped = await sandbox.atomic("runs", "skip", runId, "build", "--update", update, "--json");
  expect(JSON.parse(skipped.stdout)).toEqual({ type: "steered", runId, node: "build", done: "skipped" });
  expect((await run.ended).exitCode).toBe(1);

  const stillBroken = await sandbox.atomic("runs", "retry", runId, "check");
  expect([stillBroken.exitCode, stillBroken.stderr.includes("check is broken")]).toEqual([1, true]);
  const gone = await sandbox.atomic("runs", "cancel", runId, "check");
  expect([gone.exitCode, gone.stderr.includes("No process executes the run")]).toEqual([2, true]);
  const finished = await sandbox.atomic("runs", "skip", runId, "check", "--update", '{"done":["check, by hand"]}');
  expect({ exitCode: finished.exitCode, stderr: finished.stderr }).toMatchObject({ exitCode: 0 });
  const shown = JSON.parse((await sandbox.atomic("runs", "show", runId, "--json")).stdout);
  expect(shown.nodes.map(({ taskId, status }: { taskId: string; status: string }) => [taskId, status])).toEqual([
    ["build", "skipped"],
    ["check", "skipped"],
  ]);
});

test("a run that another process cancels says so, and how to resume it", async () => {
  const run = sandbox.start(["run", "slow", "--trust"]);
  let runId = "";
  const isRunning = async (): Promise<boolean> => {
    const runs = JSON.parse((await sandbox.atomic("runs", "list", "--json")).stdout);
    const found = runs.find(({ status }: { readonly status: string }) => status === "running");
    runId = found?.runId ?? "";
    return found !== undefined;
  };
  await waitUntil(isRunning, "the run did not start", { timeoutMs: 30_000 });
  const cancelled = await sandbox.atomic("runs", "cancel", runId);
  expect(cancelled).toMatchObject({ exitCode: 0, stdout: `cancelled  run ${runId}\n`, stderr: "" });
  const { exitCode, stdout, stderr } = await run.ended;
  expect({ exitCode, stderr }).toEqual({
    exitCode: 130,
    stderr: `▶ slow  run ${runId}\nAsked to end from elsewhere (SIGTERM); stopping what runs.\n⊘ build: cancelled\n`,
  });
  expect(stdout).toContain(`\nResume it: atomic runs resume ${runId}\n`);
});

test("a terminal that reports its end twice still lets the run stop cleanly", async () => {
  const run = sandbox.start(["run", "slow", "--trust", "--json"]);
  await run.waitFor(({ type }) => type === "node-start");
  run.kill("SIGHUP");
  run.kill("SIGHUP");
  const { exitCode, events } = await run.ended;
  expect({ exitCode, end: events.at(-1) }).toMatchObject({
    exitCode: 130,
    end: { type: "run-end", status: "cancelled" },
  });
});

const ASKING = `import { annotation, defineState, graph, Reducers, shellNode, waitNode } from "@bastani/atomic/graph";
const State = defineState({ done: annotation<string[]>([], Reducers.concat) });
const step = (id: string, command: string) => shellNode({ id, command, outputMapper: () => ({ done: [id] }) });
const gate = waitNode({ id: "gate", prompt: "Go on?", inputMapper: (answer: unknown) => ({ done: ["gate: " + answer] }) });
export default () =>
  graph(State)
    .parallel([gate, step("build", "until test -e built; do sleep 0.05; done")], { names: ["ask", "work"] })
    .then(step("last", "true"))
    .end()
    .compile({ output: (state) => ({ done: state.done }) });
`;

test("a question is answered while a sibling works; a run is paused, resumes, and shows its output", async () => {
  await sandbox.write({ ".atomic/workflows/asking.ts": ASKING });
  const run = sandbox.start(["run", "asking", "--trust", "--json"]);
  const { runId } = await run.waitFor(({ type }) => type === "request");
  const answered = await sandbox.atomic("runs", "answer", runId, "yes");
  expect(answered).toMatchObject({ exitCode: 0, stdout: `answered  parallel_1[ask]/gate  run ${runId}\n`, stderr: "" });
  const twice = await sandbox.atomic("runs", "answer", runId, "no");
  expect([twice.exitCode, twice.stderr.includes("has no pending question: it is running.")]).toEqual([2, true]);

  const paused = await sandbox.atomic("runs", "pause", runId);
  const resume = `Resume it: atomic runs resume ${runId}`;
  const text = `pausing  run ${runId}. Steps in progress finish first. Withdraw the pause, or resume the run: atomic runs resume ${runId}\n`;
  expect(paused).toMatchObject({ exitCode: 0, stdout: text, stderr: "" });
  await sandbox.write({ built: "" });
  expect((await run.ended).exitCode).toBe(130);
  const shown = await sandbox.atomic("runs", "show", runId);
  expect([shown.stdout.includes("Status    paused"), shown.stdout.endsWith(`\n${resume}\n`)]).toEqual([true, true]);
  const early = await sandbox.atomic("runs", "show", runId, "--output");
  expect([early.exitCode, early.stderr.includes("has no output: it is suspended")]).toEqual([2, true]);

  const done = { done: ["gate: yes", "build", "last"] };
  const resumed = await sandbox.atomic("runs", "resume", runId);
  expect([resumed.exitCode, resumed.stdout.endsWith(`\n\n${JSON.stringify(done, null, 2)}\n`)]).toEqual([0, true]);
  const output = await sandbox.atomic("runs", "show", runId, "--output", "--json");
  expect({ exitCode: output.exitCode, output: JSON.parse(output.stdout) }).toEqual({ exitCode: 0, output: done });
});

const QUESTIONS = ["one", "two", "three"];

const THREE_QUESTIONS = `import { graph, waitNode } from "@bastani/atomic/graph";
const ask = (id: string) => waitNode({ id, prompt: id + "?" });
export default () => graph().parallel(${JSON.stringify(QUESTIONS)}.map(ask)).end().compile();
`;

test("answers that several processes give at the same moment are all taken", async () => {
  await sandbox.write({ ".atomic/workflows/questions.ts": THREE_QUESTIONS });
  const { runId } = (await sandbox.atomic("run", "questions", "--trust", "--json")).events[0] ?? { runId: "" };
  const answers = QUESTIONS.map((id) => sandbox.atomic("runs", "answer", runId ?? "", "yes", "--request", id));
  const codes = (await Promise.all(answers)).map(({ exitCode, stderr }) => (exitCode === 2 ? stderr : "taken"));
  expect(codes).toEqual(["taken", "taken", "taken"]);
  const shown = JSON.parse((await sandbox.atomic("runs", "show", runId ?? "", "--json")).stdout);
  expect(shown).toMatchObject({ status: "completed" });
});
