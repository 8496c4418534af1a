import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findClaude, findOpenCode } from "../../../src/clients/index.ts";
import { type AgentName, type AgentSetup, MODEL } from "./agent-driver.ts";
import { claudeEnvironment } from "./direct-claude.ts";
import { openCodeEnvironment, pretendPluginInstalled } from "./direct-opencode.ts";

/** What a person types, and what it runs in. */
export interface WholeCommand {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What every command asks, and what the model answers. */
const PROMPT = "Say hi.";

const ATOMIC = join(import.meta.dirname, "../../../bin/atomic");

/** What `atomic -p` is compared with: the vendor's own command, or a program of ten lines on the vendor's SDK. */
export type Opponent = "own command" | "program on its SDK";

/** Copilot's runtime here has no command for a single prompt; OpenCode's SDK needs a server that its command starts too. */
export const OPPONENTS: Readonly<Record<AgentName, readonly Opponent[]>> = {
  claude: ["own command", "program on its SDK"],
  opencode: ["own command"],
  copilot: ["program on its SDK"],
};

/** The command that asks an agent once. Writes the settings that it needs. */
export async function prepareCommand(
  agent: AgentName,
  contestant: Opponent | "atomic",
  setup: AgentSetup,
): Promise<WholeCommand> {
  const { modelUrl, homeFolder, workFolder, searchPath } = setup;
  const env = { PATH: searchPath, HOME: homeFolder };
  for (const folder of [homeFolder, workFolder]) await mkdir(folder, { recursive: true });
  switch (contestant) {
    case "atomic":
      await writeAtomicSettings(agent, setup);
      return { command: [ATOMIC, "-p", PROMPT, "--agent", agent], env };
    case "program on its SDK": {
      const program = join(import.meta.dirname, "one-turn.ts");
      return { command: [process.execPath, program, agent, modelUrl, join(homeFolder, "..")], env };
    }
    case "own command":
      return agent === "claude" ? await claudeCommand(setup) : await openCodeCommand(setup);
  }
}

async function claudeCommand(setup: AgentSetup): Promise<WholeCommand> {
  const program = await findClaude({ env: { PATH: setup.searchPath } });
  return { command: [program, "-p", PROMPT, "--model", MODEL.id], env: claudeEnvironment(setup) };
}

async function openCodeCommand(setup: AgentSetup): Promise<WholeCommand> {
  await pretendPluginInstalled(join(setup.homeFolder, ".config", "opencode"));
  const program = await findOpenCode({ env: { PATH: setup.searchPath } });
  const { OPENCODE_SERVER_PASSWORD: _unused, ...env } = openCodeEnvironment(setup);
  return { command: [program, "run", PROMPT], env };
}

/** An agent home of its own keeps what the vendor's command wrote out of Atomic's measurement. */
async function writeAtomicSettings(agent: AgentName, { modelUrl, homeFolder }: AgentSetup): Promise<void> {
  const protocol = agent === "claude" ? "anthropic-messages" : "openai-chat";
  const endpoint = { protocol, baseUrl: `${modelUrl}/v1`, apiKey: "none", models: [MODEL] };
  const folder = join(homeFolder, ".atomic");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "config.json"), JSON.stringify({ agents: { [agent]: { endpoint } } }));
}
