import { afterEach, beforeEach, expect, test } from "bun:test";
import { Sandbox } from "./fixtures/sandbox.ts";

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
});

afterEach(async () => {
  await sandbox.remove();
});

test.each([
  { args: ["tools", "list"], channel: "stderr" },
  { args: ["tools", "list", "--json"], channel: "stdout" },
] as const)("a file that never returns ends the call after ten seconds: $args", async ({ args, channel }) => {
  await sandbox.write({ ".atomic/tools/loops.ts": "for (;;) {}" });
  const result = await sandbox.atomic(...args, "--trust");
  expect(result.exitCode).toBe(1);
  expect(result[channel]).toContain(`The tool file ${sandbox.project}/.atomic/tools/loops.ts did not load within`);
});
