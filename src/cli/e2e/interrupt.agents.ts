import { afterAll, beforeAll, expect, test } from "bun:test";
import type { RunEvent } from "../../contracts/index.ts";
import { type ModelServer, startModelServer } from "../../testkit/index.ts";
import { findProcesses, waitForNoProcess } from "./fixtures/processes.ts";
import { Sandbox } from "./fixtures/sandbox.ts";
import {
  ALLOWED,
  createThreeTaskScript,
  FINISHED_FILES,
  IN_PLACE,
  VERIFY_COMMAND,
} from "./fixtures/three-task-work.ts";

let model: ModelServer;
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.create();
  await sandbox.write({ "README.md": "# Three parts\n" });
  await sandbox.commitAll();
  model = await startModelServer({ script: createThreeTaskScript(sandbox.project, { deltaDelayMs: 150 }) });
  const endpoint = { protocol: "openai-chat", baseUrl: `${model.url}/v1`, models: [{ id: "scripted-model" }] };
  await sandbox.writeConfig({ agents: { opencode: { homeDirectory: `${sandbox.root}/agent-home`, endpoint } } });
});

afterAll(async () => {
  await model.stop();
  await sandbox.remove();
});

const isText = (event: RunEvent): boolean => event.type === "agent" && event.event.type === "text-delta";

test("Ctrl+C during an agent's turn cancels the run, leaves no process, and the run can be resumed", async () => {
  const run = sandbox.start([
    "ralph",
    "Write three parts",
    "--verify",
    VERIFY_COMMAND,
    ...IN_PLACE,
    ...ALLOWED,
    "--json",
  ]);
  const text = await run.waitFor(isText);
  expect((await findProcesses(sandbox.mark)).some(({ command }) => command.includes("opencode serve"))).toBe(true);
  run.kill("SIGINT");
  const { exitCode, events, stderr } = await run.ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: "" });
  expect(events.at(-1)).toMatchObject({ type: "run-end", runId: text.runId, status: "cancelled" });
  expect(await waitForNoProcess(sandbox.mark, 2_000)).toEqual([]);

  const shown = await sandbox.atomic("runs", "show", text.runId, "--json");
  expect(JSON.parse(shown.stdout)).toMatchObject({ runId: text.runId, status: "cancelled" });

  const resumed = await sandbox.atomic("runs", "resume", text.runId, "--json");
  expect({ exitCode: resumed.exitCode, stderr: resumed.stderr }).toEqual({ exitCode: 0, stderr: "" });
  for (const [path, content] of Object.entries(FINISHED_FILES)) {
    expect(await Bun.file(`${sandbox.project}/${path}`).text()).toBe(content);
  }
  expect(await waitForNoProcess(sandbox.mark, 2_000)).toEqual([]);
});

test("`runs cancel` from another process ends a run as Ctrl+C does", async () => {
  const run = sandbox.start(["ralph", "Write three parts again", ...IN_PLACE, ...ALLOWED, "--json"]);
  const { runId } = await run.waitFor(isText);
  const cancelled = await sandbox.atomic("runs", "cancel", runId);
  expect(cancelled).toMatchObject({ exitCode: 0, stdout: `cancelled  run ${runId}\n`, stderr: "" });
  expect((await run.ended).exitCode).toBe(130);
  expect(await waitForNoProcess(sandbox.mark, 2_000)).toEqual([]);
});
