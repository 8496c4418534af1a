import { describeClientConformance } from "../../testkit/conformance/client/client-conformance.ts";
import { openScriptedBench } from "../../testkit/scripted-agent/fixtures/scripted-bench.ts";
import { HookManager } from "./hook-manager.ts";

const hooks = new HookManager({
  onHandlerError: (error) => {
    throw error;
  },
});
// Both make the decorator do everything it can: wait before messages, and intercept tool calls.
hooks.on("message.before", () => Promise.resolve());
hooks.intercept("tool.before", () => undefined);

await describeClientConformance("A hooked agent", () => openScriptedBench((client) => hooks.attach(client)));
