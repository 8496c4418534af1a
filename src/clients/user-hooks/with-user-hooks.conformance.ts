import { tmpdir } from "node:os";
import type { HookCommand } from "../../contracts/index.ts";
import { describeClientConformance } from "../../testkit/conformance/client/client-conformance.ts";
import { openScriptedBench } from "../../testkit/scripted-agent/fixtures/scripted-bench.ts";
import { withUserHooks } from "./with-user-hooks.ts";

/** Hooks that decide nothing, for all events for which a client waits. */
const commands = ["UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop", "PreCompact"].map(
  (event): HookCommand => ({
    type: "command",
    vendor: "claude",
    shape: "claude",
    event,
    source: "user",
    filePath: "/settings.json",
    line: 1,
    command: "cat > /dev/null",
    shell: "sh",
    env: {},
    timeoutMs: 60_000,
    isAsync: false,
    blocksOnFailure: false,
  }),
);

await describeClientConformance("An agent with users' hooks", () =>
  openScriptedBench((client) =>
    withUserHooks(client, {
      commands,
      workingDirectory: tmpdir(),
      projectDirectory: tmpdir(),
      env: { PATH: process.env.PATH ?? "" },
      tell: (message) => {
        throw new Error(message);
      },
    }),
  ),
);
