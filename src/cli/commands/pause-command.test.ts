import { afterEach, beforeEach, expect, test } from "bun:test";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";
import { GATE } from "../fixtures/workflow-files.ts";

/** The first step works until the project has the file `go`. */
const STEPS = `import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { graph, toolNode } from "@bastani/atomic/graph";
const first = toolNode({
  id: "first",
  async execute(_, { services, signal }) {
    while (!existsSync(join(services.workingDirectory, "go"))) await sleep(10, undefined, { signal });
  },
});
export default () => graph().start(first).then(toolNode({ id: "second", execute: () => 2 })).end().compile();
`;

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ steps: STEPS, gate: GATE });
});
afterEach(() => environment.remove());

const atomic = (...args: readonly string[]) => environment.atomic(...args);

/** What lists and reports say of a run. */
async function statusOf(id: string): Promise<readonly (string | undefined)[]> {
  const { stdout: list } = await atomic("runs", "list");
  const { stdout: report } = await atomic("runs", "show", id);
  const row = list.split("\n").find((line) => line.startsWith(id));
  const shown = JSON.parse((await atomic("runs", "show", id, "--json")).stdout);
  const [json] = JSON.parse((await atomic("runs", "list", "--status", shown.status, "--json")).stdout);
  return [row?.split(/ +/)[2], /^Status {4}(\w+)$/m.exec(report)?.[1], json.status, shown.status];
}

test("a run that was paused is pausing until its steps have finished, then paused, until it is resumed", async () => {
  const call = environment.start(["run", "steps"]);
  await call.stderr.waitFor("▶ steps");
  const id = runIdIn(call.stderr.text);
  const resume = `Resume it: atomic runs resume ${id}\n`;
  const first = await atomic("runs", "pause", id);
  expect(first.stdout).toBe(
    `pausing  run ${id}. Steps in progress finish first. Withdraw the pause, or resume the run: atomic runs resume ${id}\n`,
  );
  expect(await statusOf(id)).toEqual(["pausing", "pausing", "pausing", "pausing"]);
  expect((await atomic("runs", "show", id)).stdout).toEndWith(
    `\nIt pauses when the steps in progress have finished.\nWithdraw the pause: atomic runs resume ${id}\n`,
  );
  await environment.writeProject({ go: "" });
  const paused = await call.ended;
  expect([paused.exitCode, environment.normalise(paused.stdout).split("\n").slice(0, 2)]).toEqual([
    130,
    ["paused  steps  run <run>  <ms>", "Resume it: atomic runs resume <run>"],
  ]);
  expect(await statusOf(id)).toEqual(["paused", "paused", "paused", "paused"]);
  expect((await atomic("runs", "report", id, "--output", "-")).stdout).toContain(` · run ${id} · paused</title>`);
  const watched = await atomic("runs", "watch", id);
  expect([watched.exitCode, watched.stdout.split(" ")[0]]).toEqual([130, "paused"]);
  expect((await atomic("runs", "list", "--status", "paused")).stdout).toContain(id);
  expect(await atomic("runs", "pause", id)).toEqual({
    exitCode: 0,
    stdout: `paused  run ${id} already. ${resume}`,
    stderr: "",
  });
  expect((await atomic("runs", "resume", id)).exitCode).toBe(0);
  expect(await statusOf(id)).toEqual(["completed", "completed", "completed", "completed"]);
});

test("a resume withdraws the pause of a run that is pausing, and its process continues", async () => {
  const call = environment.start(["run", "steps"]);
  await call.stderr.waitFor("▶ steps");
  const id = runIdIn(call.stderr.text);
  const { stdout } = await atomic("runs", "pause", id, "--json");
  expect(JSON.parse(stdout)).toEqual({ type: "steered", runId: id, done: "pausing" });
  expect(await atomic("runs", "resume", id)).toEqual({
    exitCode: 0,
    stdout: `resumed  run ${id}. Its process continues. Watch it: atomic runs watch ${id}\n`,
    stderr: "",
  });
  expect(await statusOf(id)).toEqual(["running", "running", "running", "running"]);
  await environment.writeProject({ go: "" });
  expect((await call.ended).exitCode).toBe(0);
});

test("a run that waits for an answer is not paused", async () => {
  const id = runIdIn((await atomic("run", "gate")).stdout);
  expect(await statusOf(id)).toEqual(["suspended", "suspended", "suspended", "suspended"]);
  const { exitCode, stderr } = await atomic("runs", "pause", id);
  expect({ exitCode, stderr: stderr.replaceAll(/\s+/g, " ") }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining(
      `error: The run "${id}" waits already, for an answer or a time: there is nothing to pause.`,
    ),
  });
  expect((await atomic("runs", "list", "--status", "paused")).stdout).toBe(
    "No run matches. List all runs: atomic runs list\n",
  );
});
