import { afterAll, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { recordOf, recordsOf, stringOf } from "../../../../contracts/index.ts";
import { say } from "../../../../testkit/conformance/client/client-script.ts";
import { startCopilotBench } from "../fixtures/copilot-bench.ts";
import { openCopilotConnection } from "./copilot-connection.ts";
import { buildSessionConfig } from "./copilot-options.ts";
import { COPILOT_TOOLS, TOOL_TABLE_VERSION } from "./copilot-tool-table.ts";
import { findCopilot } from "./find-copilot.ts";

const bench = await startCopilotBench(process.env.PATH ?? "");
afterAll(() => bench.stop());

/** All feature flags in the runtime's program that add tools. */
const FLAGS = [
  ...["TOOL_SEARCH", "EVERY_AND_AFTER", "COMPUTER_USE", "CLOUD_SESSION_STORE", "CATALOG_SEARCH", "SUBCONSCIOUS"],
  ...["CONTEXT_MANAGEMENT_TOOLS", "AGENT_FACTORIES", "SEARCH_SUBAGENT_MODEL", "EXECUTION_SUBAGENT_MODEL"],
  ...["CACHE_AWARE_BACKGROUND_WAITS", "BLACKBIRD_LEXICAL_SEARCH", "MCP_APPS", "BACKGROUND_SESSIONS", "SANDBOX"],
];

/** The names of the tools in all that the runtime reports about them. */
async function toolsOfRuntime(): Promise<ReadonlySet<string>> {
  const options = { ...bench.optionsFor(), projectSettings: true };
  const connection = await openCopilotConnection({
    ...options,
    env: { ...options.env, COPILOT_CLI_ENABLED_FEATURE_FLAGS: FLAGS.join(",") },
  });
  const names = new Set<string>();
  const noteAll = (raw: unknown): void => {
    for (const tool of recordsOf(recordOf(raw).tools))
      names.add(stringOf(recordOf(tool.function ?? tool.custom ?? tool).name));
  };
  try {
    noteAll(await connection.call((sdk) => sdk.rpc.tools.list({})));
    for (const mode of ["interactive", "plan", "autopilot"] as const) {
      for (const model of ["scripted", "gpt-5-codex"]) {
        const session = await connection.call((sdk) =>
          sdk.createSession({
            ...buildSessionConfig({ options, config: { model }, workingDirectory: options.workingDirectory }),
            featureFlags: Object.fromEntries(FLAGS.map((flag) => [flag, true])),
            enableConfigDiscovery: true,
            enableExperimentalMode: true,
            requestCanvasRenderer: true,
            manageScheduleEnabled: true,
            enableSessionStore: true,
            memory: { enabled: true },
            onUserInputRequest: () => ({ answer: "", wasFreeform: true }),
            onExitPlanModeRequest: () => ({ approved: true }),
          }),
        );
        await session.rpc.mode.set({ mode });
        bench.script(say("Hello."), say("Hello."));
        bench.models.forgetRequests();
        const asked = bench.models.waitForRequest(() => true);
        await session.send({ prompt: "Hello." });
        await asked;
        noteAll(bench.models.requests.at(-1)?.body);
        noteAll(await session.rpc.tools.getCurrentMetadata());
        noteAll(await connection.call(() => session.rpc.tools.getBuiltinDescriptors({})));
        await session.abort();
        await session.disconnect();
      }
    }
  } finally {
    await connection.stop();
  }
  return names;
}

test("every tool of the runtime, in any mode, has an entry in the table", async () => {
  const names = await toolsOfRuntime();
  expect(names.size).toBeGreaterThan(30);
  expect([...names].filter((name) => !COPILOT_TOOLS.has(name))).toEqual([]);
});

test("the runtime has the version that the table was read from", async () => {
  const file = await findCopilot(bench.optionsFor());
  const library = await readFile(path.join(path.dirname(file), "runtime.node"), "latin1");
  expect(library.includes(TOOL_TABLE_VERSION)).toBe(true);
});
