import { afterEach, beforeEach, expect, test } from "bun:test";
import { waitUntil } from "../../testkit/conformance/wait-until.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const IMPORTS = `import { graph, shellNode, sleepNode, waitNode } from "@bastani/atomic/graph";`;

/** Asks, and answers itself so long after that its process does not wait. Each run leaves a line in a file. */
const GATE = `${IMPORTS}
const note = shellNode({ id: "note", command: "echo answered >> answers" });
export default () =>
  graph()
    .start(waitNode({ id: "gate", prompt: "Ship?", autoApprove: { afterMs: 1_000 } }))
    .then(note)
    .end()
    .compile({ autoApproveWaitMs: 0 });
`;

/** Sleeps until a moment that a file names, in milliseconds since 1970. */
const NAP = `${IMPORTS}
import { readFileSync } from "node:fs";
const until = () => Number(readFileSync("until", "utf8"));
export default () => graph().start(sleepNode({ id: "nap", until })).end().compile();
`;

/** Enough for a process to fall asleep before, in milliseconds. */
const SOON_MS = 5_000;

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
  await sandbox.write({ ".atomic/workflows/gate.ts": GATE, ".atomic/workflows/nap.ts": NAP });
});

afterEach(async () => {
  await sandbox.remove();
});

/** Starts a run that is suspended, waits until its time has come, and returns its id. */
async function startGate(name = "gate"): Promise<string> {
  const { exitCode, events } = await sandbox.atomic("run", name, "--trust", "--json");
  expect(exitCode).toBe(3);
  const dueAt = events.find(({ type }) => type === "request")?.at ?? 0;
  await untilMoment(dueAt + 1_000);
  return events[0]?.runId ?? "";
}

/** Kills a run with SIGKILL while it sleeps until this moment. */
async function killAsleep(until: number): Promise<string> {
  await sandbox.write({ until: String(until) });
  const run = sandbox.start(["run", "nap", "--trust", "--json"]);
  const { runId } = await run.waitFor(({ type }) => type === "node-sleep");
  run.kill("SIGKILL");
  await run.ended;
  return runId;
}

async function untilMoment(moment: number): Promise<void> {
  await waitUntil(() => Date.now() > moment, "the clock does not run");
}

async function statusOf(runId: string): Promise<unknown> {
  return JSON.parse((await sandbox.atomic("runs", "show", runId, "--json")).stdout).status;
}

test("runs whose time has come are resumed, others are not", async () => {
  const gate = await startGate();
  const shown = await sandbox.atomic("runs", "show", gate);
  expect(shown.stdout).toMatch(/\nDue {7}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, resumed by: atomic runs due\n/);
  const late = await killAsleep(Date.now() + 3_600_000);
  const moment = Date.now() + SOON_MS;
  const early = await killAsleep(moment);
  await untilMoment(moment);
  const listed = JSON.parse((await sandbox.atomic("runs", "due", "--dry-run", "--json")).stdout);
  const ids = listed.map(({ runId }: { readonly runId: string }) => runId);
  expect([ids.at(-1), ids.toSorted()]).toEqual([late, [gate, late, early].toSorted()]);

  const { exitCode, stdout, stderr } = await sandbox.atomic("runs", "due");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout.split("\n").toSorted()).toEqual(
    [
      "",
      `completed  gate  run ${gate}`,
      `completed  nap  run ${early}`,
      `resumed    gate  run ${gate}`,
      `resumed    nap  run ${early}`,
    ].toSorted(),
  );
  expect(await Promise.all([gate, early, late].map(statusOf))).toEqual(["completed", "completed", "interrupted"]);
  const again = await sandbox.atomic("runs", "due");
  expect([again.exitCode, again.stdout, again.stderr]).toEqual([0, "", ""]);
});

test("several calls at the same moment resume a run once", async () => {
  const runId = await startGate();
  const calls = await Promise.all([1, 2, 3].map(() => sandbox.atomic("runs", "due")));
  expect(calls.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual([
    [0, ""],
    [0, ""],
    [0, ""],
  ]);
  await waitUntil(async () => (await statusOf(runId)) === "completed", "the run did not end", { timeoutMs: 30_000 });
  expect(await sandbox.shell("cat answers")).toBe("answered");
});

test("what a person paused or cancelled is left alone", async () => {
  const cancelled = await startGate();
  expect((await sandbox.atomic("runs", "cancel", cancelled)).exitCode).toBe(0);
  await sandbox.write({ until: String(Date.now() + 60_000) });
  const run = sandbox.start(["run", "nap", "--trust", "--json"]);
  const { runId: paused } = await run.waitFor(({ type }) => type === "node-sleep");
  expect((await sandbox.atomic("runs", "pause", paused)).exitCode).toBe(0);
  expect((await run.ended).exitCode).toBe(130);
  const { stdout } = await sandbox.atomic("runs", "due", "--dry-run");
  expect(stdout).toBe("No run waits for a time.\n");
});

test("a run that cannot be resumed is named with the reason, and the others are resumed", async () => {
  const broken = await startGate();
  const moment = Date.now() + SOON_MS;
  const nap = await killAsleep(moment);
  await untilMoment(moment);
  await sandbox.write({ ".atomic/workflows/gate.ts": "export default 5;\n" });
  const { exitCode, stderr } = await sandbox.atomic("runs", "due");
  expect(exitCode).toBe(1);
  expect(stderr).toStartWith(`error: The run ${broken} was not resumed:\n  `);
  expect(stderr).toContain('\n  error: The workflow "gate" cannot be loaded.\n');
  expect(await statusOf(nap)).toBe("completed");
  await sandbox.write({ ".atomic/workflows/gate.ts": GATE });
  expect((await sandbox.atomic("runs", "due")).exitCode).toBe(0);
});

test("--watch resumes a run when its time comes; after Ctrl+C the run continues", async () => {
  await sandbox.write({
    ".atomic/workflows/slow.ts": GATE.replace("echo answered >> answers", "until test -e end; do sleep 0.05; done"),
  });
  const nap = await killAsleep(Date.now() + SOON_MS);
  const watch = sandbox.start(["runs", "due", "--watch"]);
  await waitUntil(async () => (await statusOf(nap)) === "completed", "nobody woke it", { timeoutMs: 30_000 });
  watch.kill("SIGINT");
  expect((await watch.ended).exitCode).toBe(130);

  const runId = await startGate("slow");
  const second = sandbox.start(["runs", "due", "--watch"]);
  await waitUntil(async () => (await statusOf(runId)) === "running", "nobody woke it", { timeoutMs: 30_000 });
  second.kill("SIGINT");
  const { exitCode, stderr } = await second.ended;
  const text = `The run ${runId} continues. Cancel it: atomic runs cancel ${runId}\n`;
  expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: text });
  await sandbox.write({ end: "" });
  await waitUntil(async () => (await statusOf(runId)) === "completed", "it did not continue", { timeoutMs: 30_000 });
});
