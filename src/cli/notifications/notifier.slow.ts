import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { waitUntil } from "../../testkit/conformance/wait-until.ts";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";
import { TWO_QUESTIONS } from "../fixtures/workflow-files.ts";
import { WEBHOOK_SECRET, WebhookReceiver } from "./fixtures/webhook-receiver.ts";

const GATE = `import { graph, waitNode } from "@bastani/atomic/graph";
export default () =>
  graph()
    .start(waitNode({ id: "gate", prompt: "Ship it?", options: [{ label: "yes" }, { label: "no" }] }))
    .end()
    .compile();
`;

/** Asks the same twice. */
const TWICE = `import { annotation, defineState, graph, nodes } from "@bastani/atomic/graph";
const State = defineState({ answers: annotation<readonly string[]>([]) });
const { waitNode } = nodes(State);
const gate = waitNode({
  id: "gate",
  prompt: "Ship it?",
  inputMapper: (answer, { answers }) => ({ answers: [...answers, answer] }),
});
export default () => graph(State).loop(gate, { id: "gates", until: ({ answers }) => answers.length === 2 }).end().compile();
`;

const BROKEN = `import { graph, toolNode } from "@bastani/atomic/graph";
const execute = () => { throw new Error("The key hunter2-hunter2-31 is wrong."); };
export default () => graph().start(toolNode({ id: "fails", execute, retry: { maxAttempts: 1 } })).end().compile();
`;

/** Asks for the same permission twice at the same time, as two branches may. */
const ASKS = `import { graph, toolNode } from "@bastani/atomic/graph";
const request = { id: "p", sessionId: "s", kind: "shell", toolName: "bash", title: "rm -r build", command: "rm -r build", paths: [] };
const execute = async (_, { services, signal }) => {
  const ask = () => services.sessionConfig.onPermissionAsk(request, { signal });
  return (await Promise.all([ask(), ask()])).map(({ type }) => type);
};
export default () => graph().start(toolNode({ id: "asks", execute })).end().compile();
`;

let environment: TestEnvironment;
let receiver: WebhookReceiver;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ gate: GATE, twice: TWICE, broken: BROKEN });
  receiver = new WebhookReceiver();
  await configure(receiver.settings);
});
afterEach(async () => {
  await receiver.stop();
  await environment.remove();
});

async function configure(settings: unknown): Promise<void> {
  await environment.write({ "home/.atomic/config.json": JSON.stringify(settings) });
}

const USAGE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** What arrived, without times. */
function received(runId: string): readonly unknown[] {
  return receiver.requests.map(({ notification, deliveryId }) => {
    expect(deliveryId).toBe(notification.id);
    const { id, at, ...rest } = notification;
    expect(id.endsWith(`:${Date.parse(at)}`)).toBe(true);
    return { ...rest, id: id.replace(/\d+$/, "<time>").replace(runId, "<run>") };
  });
}

test("a webhook receives the question of a run and its end", async () => {
  const run = await environment.atomic("run", "gate");
  expect([run.exitCode, run.stderr.includes("warning")]).toEqual([3, false]);
  const runId = runIdIn(run.stdout);
  expect((await environment.atomic("runs", "answer", runId, "yes")).exitCode).toBe(0);
  const about = { runId, workflow: "gate", project: environment.project, usage: USAGE };
  expect(received(runId)).toEqual([
    {
      ...about,
      id: "<run>:waiting:gate#1:<time>",
      type: "waiting",
      requestId: "gate#1",
      question: "Ship it?",
      options: [{ label: "yes" }, { label: "no" }],
      answerCommand: `atomic runs answer ${runId} "…" --request 'gate#1'`,
      status: "suspended",
    },
    { ...about, id: "<run>:completed:<time>", type: "completed", status: "completed" },
  ]);
});

test("while another step works, a question leaves the run running", async () => {
  await environment.writeWorkflows({ two: TWO_QUESTIONS });
  await environment.atomic("run", "two");
  expect(receiver.requests.map(({ notification }) => notification.status)).toEqual(["running", "suspended"]);
});

test("a published permission request is reported once, by a webhook and on the desktop; without notifications by none", async () => {
  await environment.writeWorkflows({ asks: ASKS });
  await configure({ notifications: { ...receiver.settings.notifications, desktop: true } });
  for (const program of ["notify-send", "osascript"]) {
    await environment.write({ [`bin/${program}`]: `#!/bin/sh\necho "$@" >> '${environment.root}/shown'\n` });
    await chmod(join(environment.root, "bin", program), 0o755);
  }
  const env = { PATH: `${join(environment.root, "bin")}:${process.env.PATH}` };
  const call = ["run", "asks", "--ask", "1s"];
  const { exitCode, stdout } = await environment.start(call, { env }).ended;
  const runId = runIdIn(stdout);
  expect([exitCode, stdout.match(/"deny"/g)?.length]).toEqual([0, 2]);
  const [asked, ended] = receiver.requests.map(({ notification }) => notification);
  const { requestId = "", deadline, at = "" } = asked ?? {};
  expect(asked).toEqual({
    id: `${runId}:waiting:${requestId}:${Date.parse(at)}`,
    type: "waiting",
    runId,
    workflow: "asks",
    project: environment.project,
    requestId: expect.stringMatching(/^permission-/),
    question: "Allow this? rm -r build",
    options: [{ label: "allow" }, { label: "deny" }, { label: "always" }],
    answerCommand: `atomic runs answer ${runId} "…" --request ${requestId}`,
    deadline: new Date(Date.parse(at) + 1_000).toISOString(),
    status: "running",
    usage: USAGE,
    at,
  });
  expect([ended?.type, receiver.requests.length, deadline === undefined]).toEqual(["completed", 2, false]);
  const shown = (): Promise<string> => readFile(join(environment.root, "shown"), "utf8");
  expect(
    (await shown()).split("\n").map((line) => line.includes("asks waits for an answer: Allow this? rm -r build")),
  ).toEqual([true, false]);
  await environment.start([...call, "--no-notify"], { env }).ended;
  expect([receiver.requests.length, (await shown()).split("\n").length]).toEqual([2, 2]);
});

test("the error of a failed run arrives without secrets; a run that fails again is another notification", async () => {
  const env = { DB_PASSWORD: "hunter2-hunter2-31" };
  const runId = runIdIn((await environment.start(["run", "broken"], { env }).ended).stdout);
  await environment.start(["runs", "resume", runId], { env }).ended;
  expect(receiver.requests.map(({ notification }) => [notification.type, notification.error?.message])).toEqual([
    ["failed", "The key [redacted:DB_PASSWORD] is wrong."],
    ["failed", "The key [redacted:DB_PASSWORD] is wrong."],
  ]);
  expect(receiver.byId.size).toBe(2);
});

test("a cancel from another process arrives", async () => {
  const runId = runIdIn((await environment.atomic("run", "gate")).stdout);
  await environment.atomic("runs", "cancel", runId);
  expect(receiver.requests.map(({ notification }) => notification.type)).toEqual(["waiting", "cancelled"]);
});

test("what a receiver missed is delivered by the next call about the run, and by runs due, with the same id", async () => {
  const { port } = receiver;
  await receiver.stop();
  const run = await environment.atomic("run", "gate");
  const origin = `http://127.0.0.1:${port}`;
  expect([run.exitCode, run.stderr.split("\n").filter((line) => line.startsWith("warning"))]).toEqual([
    3,
    [
      `warning: The webhook ${origin} did not take a notification: it cannot be reached (ECONNREFUSED). What was not delivered is sent again by the next call about the run, and by: atomic runs due`,
    ],
  ]);
  receiver = new WebhookReceiver(port);
  await waitUntil(
    async () => {
      await environment.atomic("runs", "due");
      return receiver.requests.length > 0;
    },
    "nothing was delivered",
    { timeoutMs: 20_000 },
  );
  await environment.atomic("runs", "due");
  expect(receiver.requests.map(({ notification }) => notification.type)).toEqual(["waiting"]);
}, 30_000);

test("what a process that died has not recorded is derived from the journal, once", async () => {
  const runId = runIdIn((await environment.atomic("run", "gate")).stdout);
  const folder = join(environment.store.directoryOf(runId), "notifications");
  const state = await environment.read(`home/.atomic/workflows/sessions/${runId}/notifications/state.json`);
  const [first] = receiver.requests;
  await rm(folder, { recursive: true });
  await environment.write({
    [`home/.atomic/workflows/sessions/${runId}/notifications/state.json`]: JSON.stringify({
      since: JSON.parse(state).since,
    }),
  });
  await environment.atomic("runs", "due");
  await environment.atomic("runs", "due");
  expect(receiver.requests.map(({ deliveryId }) => deliveryId)).toEqual(
    [first, first].map((request) => request?.deliveryId ?? ""),
  );
  expect(receiver.requests[1]?.notification.status).toBe("suspended");
});

test("a run that waited before there were webhooks is not announced when it continues; its end is", async () => {
  await configure({});
  const runId = runIdIn((await environment.atomic("run", "gate")).stdout);
  await configure(receiver.settings);
  await environment.atomic("runs", "due");
  await environment.atomic("runs", "answer", runId, "yes");
  expect(receiver.requests.map(({ notification }) => notification.type)).toEqual(["completed"]);
});

test("--no-notify notifies nobody, now and later", async () => {
  const runId = runIdIn((await environment.atomic("run", "gate", "--no-notify")).stdout);
  await environment.atomic("runs", "answer", runId, "yes", "--no-notify");
  await environment.atomic("runs", "due");
  expect(receiver.requests).toEqual([]);
});

test("a webhook receives only the events that it is there for", async () => {
  await configure({
    notifications: { webhooks: [{ url: receiver.url, secret: WEBHOOK_SECRET, events: ["completed"] }] },
  });
  const runId = runIdIn((await environment.atomic("run", "gate")).stdout);
  await environment.atomic("runs", "answer", runId, "yes");
  expect(receiver.requests.map(({ notification }) => notification.type)).toEqual(["completed"]);
});

test("a replayed answer is rejected, also when the same step asks again", async () => {
  const runId = runIdIn((await environment.atomic("run", "twice")).stdout);
  const replayed = ["runs", "answer", runId, "yes", "--request", "gate#1"] as const;
  expect((await environment.atomic(...replayed)).exitCode).toBe(3);
  const again = await environment.atomic(...replayed);
  expect({ exitCode: again.exitCode, stderr: again.stderr }).toEqual({
    exitCode: 2,
    stderr: `error: The question "gate#1" of the run "${runId}" has been answered already.\n       Look at the run with: atomic runs show ${runId}\n       (USAGE)\n`,
  });
  expect((await environment.atomic("runs", "answer", runId, "no", "--request", "gate#2")).exitCode).toBe(0);
  const last = await environment.atomic("runs", "answer", runId, "yes", "--request", "gate#2");
  expect([last.exitCode, last.stderr.includes("has been answered already.")]).toEqual([2, true]);
  const { answers } = JSON.parse((await environment.atomic("runs", "show", runId, "--state")).stdout);
  expect(answers).toEqual(["yes", "no"]);
  const asked = receiver.requests.flatMap(({ notification }) => notification.requestId ?? []);
  expect(asked).toEqual(["gate#1", "gate#2"]);
});

test("a terminal is notified of a question, once, and not of the end of a short run; a pipe is not", async () => {
  await configure({ notifications: { terminal: "osc9" } });
  const notice = "\u001b]9;Atomic: gate waits for an answer: Ship it?\u0007";
  const inTerminal = await environment.start(["run", "gate"], { isTTY: true }).ended;
  expect(inTerminal.stderr.split(notice)).toHaveLength(2);
  const runId = runIdIn(inTerminal.stdout);
  const answered = await environment.start(["runs", "answer", runId, "yes"], { isTTY: true }).ended;
  expect([answered.exitCode, answered.stderr.includes("\u001b]9;")]).toEqual([0, false]);
  const inPipe = await environment.atomic("run", "gate");
  expect(inPipe.stderr.includes("\u001b]9;") || inPipe.stdout.includes("\u001b]9;")).toBe(false);
});

test("a folder that cannot be written does not fail the run", async () => {
  await configure({});
  const runId = runIdIn((await environment.atomic("run", "gate")).stdout);
  await configure(receiver.settings);
  await environment.write({ [`home/.atomic/workflows/sessions/${runId}/notifications`]: "a file" });
  const { exitCode, stderr } = await environment.atomic("runs", "answer", runId, "yes");
  expect([exitCode, stderr.includes("warning: The notifications of the run cannot be recorded: ENOTDIR")]).toEqual([
    0,
    true,
  ]);
});
