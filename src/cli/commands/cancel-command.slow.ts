import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Call, runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";
import { ENDLESS, GATE, GREET } from "../fixtures/workflow-files.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ gate: GATE, greet: GREET, endless: ENDLESS });
});
afterEach(() => environment.remove());

async function startRun(...args: readonly string[]): Promise<string> {
  return runIdIn((await environment.atomic("run", ...args)).stdout);
}

async function startEndless(): Promise<{ readonly call: Call; readonly runId: string }> {
  const call = environment.start(["run", "endless"], { pid: 4242 });
  await call.stderr.waitFor("waiting");
  const [session] = (await environment.store.list()).sessions;
  return { call, runId: session?.sessionId ?? "" };
}

test("a run that waits for a person is cancelled, and can be resumed", async () => {
  const runId = await startRun("gate");
  expect(await environment.atomic("runs", "cancel", runId)).toEqual({
    exitCode: 0,
    stdout: `cancelled  run ${runId}\n`,
    stderr: "",
  });
  expect((await environment.store.load(runId)).status).toBe("cancelled");
  expect((await environment.atomic("runs", "resume", runId)).exitCode).toBe(3);
});

test("as JSON the outcome is one line", async () => {
  const runId = await startRun("gate");
  const { stdout } = await environment.atomic("runs", "cancel", runId, "--json");
  expect(JSON.parse(stdout)).toEqual({ type: "cancelled", runId, status: "cancelled" });
});

test("a completed run cannot be cancelled", async () => {
  const runId = await startRun("greet", "--agent", "scripted");
  const { exitCode, stderr } = await environment.atomic("runs", "cancel", runId);
  expect(exitCode).toBe(2);
  expect(stderr).toStartWith(`error: The run "${runId}" is completed; there is nothing left to do.\n`);
});

test("a run whose process died before its first step is cancelled, too", async () => {
  const { sessionId } = await environment.store.create({
    workflowName: "gate",
    projectDirectory: environment.project,
    input: {},
  });
  expect((await environment.atomic("runs", "cancel", sessionId)).exitCode).toBe(0);
  expect((await environment.store.load(sessionId)).status).toBe("cancelled");
});

test("the process that executes a run is interrupted and waited for", async () => {
  const { call, runId } = await startEndless();
  const asked: number[] = [];
  const cancelling = environment.start(["runs", "cancel", runId], {
    interrupt(pid) {
      asked.push(pid);
      call.signal("SIGTERM");
      return true;
    },
  });
  const { exitCode, stdout } = await cancelling.ended;
  expect({ exitCode, stdout, asked }).toEqual({ exitCode: 0, stdout: `cancelled  run ${runId}\n`, asked: [4242] });
  const ended = await call.ended;
  expect(ended.exitCode).toBe(130);
  expect(environment.normalise(ended.stderr)).toBe(
    "▶ endless  run <run>\n· waiting\nAsked to end from elsewhere (SIGTERM); stopping what runs.\n⊘ wait: cancelled\n",
  );
  expect(ended.stdout).toContain(`\nResume it: atomic runs resume ${runId}\n`);
  expect((await environment.store.load(runId)).status).toBe("cancelled");
});

test.each([
  { flags: [], next: (id: string) => `Wait, or kill its process: atomic runs cancel ${id} --force` },
  { flags: ["--force"], next: () => "Its process is killed in a moment." },
])("a run that does not stop at once is reported with what to do: $flags", async ({ flags, next }) => {
  const { call, runId } = await startEndless();
  const cancelling = environment.start(["runs", "cancel", runId, ...flags], { interrupt: () => true });
  await cancelling.stderr.waitFor("\n");
  call.signal("SIGTERM");
  expect(await cancelling.ended).toEqual({
    exitCode: 0,
    stdout: `cancelled  run ${runId}\n`,
    stderr: `A step of the run ${runId} has not stopped yet. ${next(runId)}\n`,
  });
  await call.ended;
});

test("a run in a process that cannot be reached is not said to be cancelled", async () => {
  const { call, runId } = await startEndless();
  const { exitCode, stdout, stderr } = await environment.start(["runs", "cancel", runId]).ended;
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toBe(
    [
      `error: The run "${runId}" is being executed by the process 4242, which cannot be stopped from here.`,
      "       It may belong to another user or container.",
      "       End the run there.",
      "       (CANCEL_UNREACHABLE)",
      "",
    ].join("\n"),
  );
  const locked = await environment.atomic("runs", "resume", runId);
  expect({ exitCode: locked.exitCode, stderr: locked.stderr }).toEqual({
    exitCode: 2,
    stderr: `error: The run "${runId}" is being executed by process 4242.\n       Wait for it to end or cancel it, then try again.\n       (RUN_LOCKED)\n`,
  });
  expect((await environment.atomic("runs", "list")).stdout).toContain("  running  ");
  call.signal();
  await call.ended;
});
