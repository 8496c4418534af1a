import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunEvent } from "../../contracts/index.ts";
import { type ModelServer, startModelServer } from "../../testkit/index.ts";
import { waitForNoProcess } from "./fixtures/processes.ts";
import { Sandbox } from "./fixtures/sandbox.ts";
import { ALLOWED, BEGINNING, createTwelveTaskScript, TASK_IDS, VERIFY_COMMAND } from "./fixtures/twelve-tasks.ts";
import { useScriptedModel } from "./fixtures/vendor-agents.ts";

let model: ModelServer;
let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
  model = await startModelServer({ script: createTwelveTaskScript(0.2) });
  await useScriptedModel(sandbox, model);
  await sandbox.write(BEGINNING);
  await sandbox.commitAll();
});
afterEach(async () => {
  await sandbox.remove();
  await model.stop();
});

/** Calls Atomic, expects success, and returns what it printed as JSON. */
async function call<T>(...args: readonly string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await sandbox.atomic(...args, "--json");
  expect({ args, exitCode, stderr }).toEqual({ args, exitCode: 0, stderr: "" });
  // The cast is true for what the command prints.
  return JSON.parse(stdout) as T;
}

interface Moments {
  readonly moments: readonly { readonly sequence: number; readonly type: string; readonly nodeId: string }[];
}

const passingIn = (event: RunEvent): number =>
  event.type === "tasks" ? event.tasks.filter(({ status }) => status === "passing").length : 0;

/** Files in a session's folder. */
async function ownFiles(
  runId: string,
  names = ["session.json", "tasks.json", "events.jsonl"],
): Promise<readonly string[]> {
  const folder = join(sandbox.atomicHome, "workflows", "sessions", runId);
  return await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
}

test("Ralph is detached, watched, cancelled, resumed, steered and forked, each from another process", async () => {
  const options = ["--verify", VERIFY_COMMAND, "--workers", "4", "--no-review", ...ALLOWED, "--detach"];
  const { runId } = await call<{ readonly runId: string }>("ralph", "Write the parts", ...options);
  const first = sandbox.start(["runs", "watch", runId, "--json"]);
  await first.waitFor((event) => passingIn(event) >= 2);
  expect((await sandbox.atomic("runs", "cancel", runId)).exitCode).toBe(0);
  expect((await first.ended).exitCode).toBe(130);

  expect(await call<unknown>("runs", "resume", runId, "--detach")).toMatchObject({ type: "detached", runId });
  const second = sandbox.start(["runs", "watch", runId, "--json"]);
  await second.waitFor((event) => event.type === "run-start" && event.isResume);
  let isResumed = false;
  const begun = await second.waitFor((event) => {
    isResumed ||= event.type === "run-start" && event.isResume;
    return isResumed && event.type === "agent-session" && event.nodeId === "implement";
  });
  const visit = "taskId" in begun ? begun.taskId : "";
  await call<unknown>("runs", "retry", runId, visit);
  await second.waitFor((event) => event.type === "node-start" && event.taskId === visit && event.attempt > 1);
  const { exitCode, events } = await second.ended;
  expect({ exitCode, last: events.at(-1) }).toMatchObject({
    exitCode: 0,
    last: { type: "run-end", status: "completed" },
  });

  const before = { history: await call<Moments>("runs", "history", runId), files: await ownFiles(runId) };
  const worked = before.history.moments.filter(({ type, nodeId }) => type === "node" && nodeId === "implement");
  const at = String(worked[5]?.sequence);
  const requestsBefore = model.requests.length;
  const edit = ["--set", "goal=Write the parts once more"];
  const fork = await call<{ readonly runId: string }>("runs", "fork", runId, "--at", at, ...edit, "--no-run");
  const [, list = ""] = await ownFiles(fork.runId, ["session.json", "tasks.json"]);
  const passing = list.match(/"status": "passing"/g) ?? [];
  expect(passing.length).toBeGreaterThan(0);
  expect(passing.length).toBeLessThan(TASK_IDS.length);
  expect(await call<unknown>("runs", "resume", fork.runId, "--detach")).toMatchObject({ runId: fork.runId });
  const third = await sandbox.atomic("runs", "watch", fork.runId);
  expect({ exitCode: third.exitCode, stdout: third.stdout }).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`completed  ralph  run ${fork.runId}`),
  });
  const told = model.requests.slice(requestsBefore).map(({ messages }) => messages.map(({ text }) => text).join("\n"));
  expect(told.some((text) => text.includes("Write the parts once more"))).toBe(true);
  expect({ history: await call<Moments>("runs", "history", runId), files: await ownFiles(runId) }).toEqual(before);
  const { stdout } = await sandbox.atomic("runs", "show", fork.runId);
  expect(stdout).toContain(`Forked    from ${runId} at ${at}`);
  for (const id of TASK_IDS) {
    expect(await readFile(join(sandbox.project, `src/${id}.js`), "utf8")).toBe(`export const part = "${id}";\n`);
  }
  await sandbox.shell(VERIFY_COMMAND);
  expect(await sandbox.shell("git status --porcelain; git worktree list | wc -l")).toBe("1");
  expect(await waitForNoProcess(sandbox.mark, 30_000)).toEqual([]);
});

test("what keeps a detached run from starting is an event of the type error", async () => {
  const { exitCode, stdout, stderr } = await sandbox.atomic("run", "nosuch", "--detach", "--json");
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: "" });
  expect(JSON.parse(stdout)).toEqual({
    type: "error",
    runId: null,
    code: "WORKFLOW_UNKNOWN",
    message: expect.stringContaining('"nosuch"'),
  });
});
