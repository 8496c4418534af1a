import { join } from "node:path";
import { approveAll, CopilotClient, RuntimeConnection } from "@github/copilot-sdk";
import { findCopilot } from "../../../src/clients/index.ts";
import { type AgentDriver, type AgentSetup, MODEL } from "./agent-driver.ts";

/** How long a turn may take, in milliseconds. */
const TURN_TIMEOUT_MS = 120_000;

/** Drives Copilot through its SDK, which starts the runtime and talks with it through pipes. */
export async function startDirectCopilot(setup: AgentSetup): Promise<AgentDriver> {
  const { modelUrl, homeFolder, workFolder, searchPath } = setup;
  const client = new CopilotClient({
    connection: RuntimeConnection.forStdio({ path: await findCopilot({ env: { PATH: searchPath } }) }),
    env: environment(setup),
    baseDirectory: join(homeFolder, ".copilot"),
    workingDirectory: workFolder,
    useLoggedInUser: false,
  });
  await client.start();
  const session = await client.createSession({
    model: MODEL.id,
    streaming: true,
    workingDirectory: workFolder,
    onPermissionRequest: approveAll,
    provider: {
      type: "openai",
      wireApi: "completions",
      baseUrl: `${modelUrl}/v1`,
      apiKey: "none",
      maxPromptTokens: MODEL.contextWindowTokens,
      maxOutputTokens: MODEL.outputTokens,
    },
  });
  return {
    send: async (message, onText) => {
      const unsubscribe = session.on("assistant.message_delta", (event) => onText(event.data.deltaContent));
      await session.sendAndWait({ prompt: message }, TURN_TIMEOUT_MS);
      unsubscribe();
    },
    stop: async () => {
      await client.stop();
    },
  };
}

function environment({ homeFolder, searchPath }: AgentSetup): Record<string, string> {
  return {
    PATH: searchPath,
    HOME: homeFolder,
    COPILOT_HOME: join(homeFolder, ".copilot"),
    COPILOT_CACHE_HOME: join(homeFolder, ".cache", "copilot"),
    COPILOT_OFFLINE: "true",
    XDG_CONFIG_HOME: join(homeFolder, ".config"),
    XDG_DATA_HOME: join(homeFolder, ".local", "share"),
    XDG_CACHE_HOME: join(homeFolder, ".cache"),
    XDG_STATE_HOME: join(homeFolder, ".local", "state"),
  };
}
