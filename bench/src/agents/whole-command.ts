import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findClaude, findOpenCode } from "../../../src/clients/index.ts";
import { type AgentName, type AgentSetup, MODEL, type Variant } from "./agent-driver.ts";
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

/** The command that asks an agent once: the vendor's own, or Atomic's. Writes the settings that it needs. */
export async function prepareCommand(agent: AgentName, variant: Variant, setup: AgentSetup): Promise<WholeCommand> {
  const { modelUrl, homeFolder, workFolder, searchPath } = setup;
  for (const folder of [homeFolder, workFolder]) await mkdir(folder, { recursive: true });
  if (variant === "atomic") {
    await writeAtomicSettings(agent, setup);
    return { command: [ATOMIC, "-p", PROMPT, "--agent", agent], env: { PATH: searchPath, HOME: homeFolder } };
  }
  switch (agent) {
    case "claude": {
      const program = await findClaude({ env: { PATH: searchPath } });
      return { command: [program, "-p", PROMPT, "--model", MODEL.id], env: claudeEnvironment(setup) };
    }
    case "opencode": {
      await pretendPluginInstalled(join(homeFolder, ".config", "opencode"));
      const program = await findOpenCode({ env: { PATH: searchPath } });
      const { OPENCODE_SERVER_PASSWORD: _unused, ...env } = openCodeEnvironment(setup);
      return { command: [program, "run", PROMPT], env };
    }
    case "copilot": {
      const program = join(import.meta.dirname, "one-turn.ts");
      return {
        command: [process.execPath, program, modelUrl, join(homeFolder, "..")],
        env: { PATH: searchPath, HOME: homeFolder },
      };
    }
  }
}

/** An agent home of its own keeps what the vendor's command wrote out of Atomic's measurement. */
async function writeAtomicSettings(agent: AgentName, { modelUrl, homeFolder }: AgentSetup): Promise<void> {
  const protocol = agent === "claude" ? "anthropic-messages" : "openai-chat";
  const endpoint = { protocol, baseUrl: `${modelUrl}/v1`, apiKey: "none", models: [MODEL] };
  const folder = join(homeFolder, ".atomic");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "config.json"), JSON.stringify({ agents: { [agent]: { endpoint } } }));
}
