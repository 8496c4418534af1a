import {
  type ClientOptions,
  type CodingAgentClient,
  createClaudeClient,
  createCopilotClient,
  createOpenCodeClient,
} from "../../../src/index.ts";
import { type AgentDriver, type AgentName, type AgentSetup, MODEL } from "./agent-driver.ts";

/** Drives an agent through Atomic's client. */
export async function startAtomicDriver(agent: AgentName, setup: AgentSetup): Promise<AgentDriver> {
  const client = createClient(agent, setup);
  const session = await client.createSession({ permissions: { rules: [], otherwise: "allow" } });
  return {
    send: async (message, onText) => {
      for await (const event of session.stream(message)) if (event.type === "text-delta") onText(event.text);
    },
    stop: () => client.stop(),
  };
}

function createClient(agent: AgentName, setup: AgentSetup): CodingAgentClient {
  const { modelUrl, homeFolder, workFolder, searchPath } = setup;
  const optionsFor = (protocol: "anthropic-messages" | "openai-chat"): ClientOptions => ({
    workingDirectory: workFolder,
    homeDirectory: homeFolder,
    env: { PATH: searchPath },
    endpoint: { protocol, baseUrl: `${modelUrl}/v1`, apiKey: "none", models: [MODEL] },
  });
  switch (agent) {
    case "claude":
      return createClaudeClient(optionsFor("anthropic-messages"));
    case "opencode":
      return createOpenCodeClient(optionsFor("openai-chat"));
    case "copilot":
      return createCopilotClient(optionsFor("openai-chat"));
  }
}
