import { afterEach, beforeEach, expect, test } from "bun:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createSessionStore, createWorkflowRuns, workflowSessionsDirectory } from "../../workflows/index.ts";
import { WebhookReceiver } from "../notifications/fixtures/webhook-receiver.ts";
import { notificationsOf } from "../notifications/run-notifications.ts";
import type { AtomicProcess } from "./fixtures/atomic-process.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const GATE = `import { graph, waitNode } from "@bastani/atomic/graph";
export const isReadOnly = true;
export default () => graph().start(waitNode({ id: "gate", prompt: "Ship it?" })).end().compile();
`;

const SHORT = `import { graph, toolNode } from "@bastani/atomic/graph";
export const isReadOnly = true;
export default () => graph().start(toolNode({ id: "short", execute: () => 1 })).end().compile();
`;

/** How many runs are killed (`ATOMIC_KILLS` asks for more), and how many at the same time. */
const KILLS = Number(process.env.ATOMIC_KILLS ?? 15);
const AT_ONCE = 6;

let sandbox: Sandbox;
let receiver: WebhookReceiver;

beforeEach(async () => {
  sandbox = await Sandbox.create();
  receiver = new WebhookReceiver();
  await sandbox.write({ ".atomic/workflows/gate.ts": GATE, ".atomic/workflows/short.ts": SHORT });
  await sandbox.writeConfig(receiver.settings);
  expect((await sandbox.atomic("trust", "add")).exitCode).toBe(0);
});

afterEach(async () => {
  await receiver.stop();
  await sandbox.remove();
});

/** Resolves when a notification of the run arrives. */
const arrivals = new Map<string, () => void>();

function arrivalOf(runId: string): Promise<void> {
  return new Promise((resolve) => arrivals.set(runId, resolve));
}

/** The moments of a delivery: each resolves when the process is to be killed. */
const MOMENTS: readonly ((run: AtomicProcess, runId: string, index: number) => Promise<unknown>)[] = [
  // While the run begins, and its outbox.
  (_run, _runId, index) => sleep(index % 25),
  // Right after the event: around the record in the outbox.
  (run) => run.waitFor(({ type }) => type === "request" || type === "run-end"),
  async (run, _runId, index) => {
    await run.waitFor(({ type }) => type === "checkpoint");
    await sleep(index % 12);
  },
  // Before the receiver answers.
  (_run, runId) => arrivalOf(runId),
  // After the answer: around the note that it is delivered.
  async (_run, runId, index) => {
    await arrivalOf(runId);
    await sleep(index % 8);
  },
];

/** Starts a run, kills it at a moment around its notification, and returns its id. */
async function killOnce(index: number): Promise<string> {
  const moment = MOMENTS[index % MOMENTS.length];
  const run = sandbox.start(["run", index % 2 === 0 ? "gate" : "short", "--json"]);
  const { runId } = await run.waitFor(({ type }) => type === "run-start");
  await Promise.race([moment?.(run, runId, index), run.ended]);
  run.kill("SIGKILL");
  await run.ended;
  return runId;
}

test(`kill -9 around a notification, ${KILLS} times: a receiver that deduplicates has each exactly once`, async () => {
  receiver.answer = async ({ notification }) => {
    arrivals.get(notification.runId)?.();
    await sleep(5);
    return new Response("ok");
  };
  const indexes = Array.from({ length: KILLS }, (_, index) => index).values();
  const runIds: string[] = [];
  const worker = async (): Promise<void> => {
    for (const index of indexes) runIds.push(await killOnce(index));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const before = receiver.byId.size;

  const due = await sandbox.atomic("runs", "due");
  expect({ exitCode: due.exitCode, stderr: due.stderr }).toEqual({ exitCode: 0, stderr: "" });
  const expected = await expectedIds(runIds);
  // Moments before, within and after the delivery have occurred.
  expect([before > 0, before < expected.length]).toEqual([true, true]);
  expect([...receiver.byId.keys()].toSorted()).toEqual([...expected]);
  expect(receiver.problems).toEqual([]);

  // Nothing is left, and nothing is derived a second time.
  const sent = receiver.requests.length;
  await sandbox.atomic("runs", "due");
  expect(receiver.requests.length).toBe(sent);

  // A question that was announced is not announced again by the process that answers it.
  const waiting = [...receiver.byId.values()].filter(({ type }) => type === "waiting").slice(0, 3);
  for (const { runId, requestId = "" } of waiting) {
    expect((await sandbox.atomic("runs", "answer", runId, "yes", "--request", requestId)).exitCode).toBe(0);
    const replayed = await sandbox.atomic("runs", "answer", runId, "no", "--request", requestId);
    expect([replayed.exitCode, replayed.stderr.includes("has been answered already.")]).toEqual([2, true]);
  }
  const after = receiver.requests.slice(sent).map(({ notification }) => [notification.runId, notification.type]);
  expect(after).toEqual(waiting.map(({ runId }) => [runId, "completed"]));
}, 400_000);

/** What the journals require: derived here by another process than those that sent it. */
async function expectedIds(runIds: readonly string[]): Promise<readonly string[]> {
  const store = createSessionStore({ root: workflowSessionsDirectory(sandbox.atomicHome) });
  const runs = createWorkflowRuns({ store, owner: { pid: process.pid, startedAt: new Date().toISOString() } });
  const reports = await Promise.all(runIds.map((id) => runs.report(id)));
  return reports
    .flatMap((report) => notificationsOf(report, 0))
    .map(({ notification }) => notification.id)
    .toSorted();
}
