import { afterEach, beforeEach, expect, test } from "bun:test";
import { waitForNoProcess } from "./fixtures/processes.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
});
afterEach(async () => {
  await sandbox.remove();
});

test("a script that never returns is ended with --force, and its run can be resumed", async () => {
  const script = (end: string): string =>
    `export const meta = { name: "busy", description: "Never returns" };\nawait agent("Begin");\n${end}\n`;
  await sandbox.write({ ".claude/workflows/busy.js": script("for (;;) {}") });
  const run = sandbox.start(["run", "busy", "--agent", "scripted", "--trust", "--json"]);
  const { runId } = await run.waitFor((event) => event.type === "node-end");
  const cancelled = await sandbox.atomic("runs", "cancel", runId, "--force");
  expect(cancelled).toMatchObject({ exitCode: 0, stdout: `cancelled  run ${runId}\n` });
  await run.ended;
  expect(await waitForNoProcess(sandbox.mark, 30_000)).toEqual([]);
  await sandbox.write({ ".claude/workflows/busy.js": script('return "done";') });
  const resumed = await sandbox.atomic("runs", "resume", runId);
  expect([resumed.exitCode, resumed.stdout]).toEqual([0, expect.stringContaining("\n\ndone\n")]);
}, 120_000);
