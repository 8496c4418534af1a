import { expect, test } from "bun:test";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { PluginGates } from "./plugin-gates.ts";

test("a folder's plugin counts as loaded from when it reports in until the folder is closed", async () => {
  const gates = new PluginGates("opencode");
  const waiting = gates.require("/work");
  gates.add("/work");
  await waiting;
  await gates.require("/work");
  gates.remove("/work");
  expect(String(await rejectionOf(gates.require("/work", { graceMs: 1 })))).toBe(
    'PermissionGateMissingError: The agent "opencode" was not started: Atomic cannot decide about its tool calls (its plugin did not load in /work). Update the agent with "atomic install opencode", or check its settings for something that switches plugins or hooks off.',
  );
});
