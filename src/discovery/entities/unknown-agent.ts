import { nearestName } from "../../contracts/index.ts";
import type { ProviderType, UnifiedEntity } from "./entity.ts";

/** The agents that definitions can name; a registry has them. */
export interface KnownAgents {
  getAgent(name: string): UnifiedEntity | undefined;
  allAgents(): readonly UnifiedEntity[];
}

/** Agents that come with a vendor, and that only this vendor has. */
const VENDOR_AGENTS: Readonly<Record<Exclude<ProviderType, "atomic">, readonly string[]>> = {
  claude: ["claude-code-guide", "explore", "general-purpose", "output-style-setup", "plan", "statusline-setup"],
  copilot: ["agent", "ask", "edit", "explore", "plan", "task"],
  opencode: ["build", "compaction", "explore", "general", "plan", "summary", "title"],
};

/**
 * The message for the agent of a command or a skill if there is none of this name: neither among the known ones nor among those
 * of the definition's vendor. Undefined if there is one, or if the definition names none. Pure.
 */
export function describeUnknownAgent({ agent, source }: UnifiedEntity, agents: KnownAgents): string | undefined {
  if (agent === undefined || agents.getAgent(agent) !== undefined) return undefined;
  const ofVendor = source.provider === "atomic" ? Object.values(VENDOR_AGENTS).flat() : VENDOR_AGENTS[source.provider];
  if (ofVendor.includes(agent.toLowerCase())) return undefined;
  const known = agents.allAgents().flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const nearest = nearestName(agent, [...known, ...ofVendor]);
  return `Unknown agent "${agent}"${nearest === undefined ? "" : `; did you mean "${nearest}"?`}`;
}
