import { afterEach, beforeEach, expect, test } from "bun:test";
import { PtyScreen } from "../../tui/fixtures/pty-screen.ts";
import { SLOW } from "./fixtures/chat-terminal.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
});
afterEach(() => sandbox.remove());

test("a terminal of 0 columns, as `script` makes one, counts as one of 80", async () => {
  const command = "stty cols 0 rows 0; atomic telemetry status; atomic trust";
  const { project: workingDirectory, env } = sandbox;
  const terminal = new PtyScreen(["sh", "-c", command], { columns: 100, workingDirectory, env });
  await terminal.exit(SLOW);
  expect(terminal.output).toContain("Your environment configures no receiver (docs/telemetry.md).\r\n");
  expect(terminal.output).toMatch(/Telemetry is recorded in\s+\S+\/telemetry, and not\s+sent\./);
  terminal.close();
});
