import { afterEach, beforeEach, expect, test } from "bun:test";
import { Sandbox } from "./fixtures/sandbox.ts";

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
});
afterEach(() => sandbox.remove());

test("the plan of a script that never returns ends after the time that a rehearsal has", async () => {
  await sandbox.write({
    ".claude/workflows/busy.js":
      'export const meta = { name: "busy", description: "Never returns" };\nwhile (true) {}\n',
  });
  const { exitCode, stdout, stderr } = await sandbox.atomic("run", "busy", "--plan", "--trust");
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: expect.stringContaining(
      'error: The plan of "busy" did not end within 30 s.\n       Look for a loop that never ends.\n       (PLAN_TIMEOUT)\n',
    ),
  });
}, 120_000);
