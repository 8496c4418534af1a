import type { AcpPresetName } from "../../clients/index.ts";
import { AtomicError, nearestName } from "../../contracts/index.ts";
import type { Config } from "../config/config.ts";

/** The agent where neither the call nor the settings name one. */
export const DEFAULT_AGENT = "opencode";

/** Agents with a client of their own. */
export const VENDORS = ["claude", "opencode", "copilot"] as const;

/** An agent with a client of its own. */
export type Vendor = (typeof VENDORS)[number];

/** Whether an agent has a client of its own. */
export function isVendor(agentType: string): agentType is Vendor {
  return VENDORS.some((vendor) => vendor === agentType);
}

/**
 * Agents that Atomic drives over ACP only. The names are repeated here, and checked by the compiler, because the help
 * lists them and `ACP_PRESETS` would load all of `clients`.
 */
const ACP_AGENTS: Readonly<Record<Exclude<AcpPresetName, Vendor>, true>> = { gemini: true, codex: true, goose: true };

/** Agents this Atomic can drive, besides those that the settings describe. */
export const AGENT_TYPES: readonly string[] = [...VENDORS, ...Object.keys(ACP_AGENTS), "scripted"];

/** There is no agent of this name. */
export class UnknownAgentError extends AtomicError {
  constructor(
    readonly agentType: string,
    readonly knownTypes: readonly string[],
    /** The settings file that names it, where one does. */
    readonly settingsPath?: string,
  ) {
    const nearest = nearestName(agentType, knownTypes);
    const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
    const origin = settingsPath === undefined ? "" : `, which ${settingsPath} names`;
    super(
      "AGENT_UNKNOWN",
      `There is no agent "${agentType}"${origin}. Known agents: ${knownTypes.join(", ")}.${hint} Any other that speaks ACP can be described in config.json below "agents".`,
    );
  }
}

/** All agents by name: those Atomic knows, and those that the settings describe. */
export function knownAgents({ agents = {} }: Config): readonly string[] {
  return [...new Set([...AGENT_TYPES, ...Object.keys(agents)])];
}

/** @throws UnknownAgentError */
export function assertKnownAgent(agentType: string, config: Config): void {
  const known = knownAgents(config);
  if (known.includes(agentType)) return;
  throw new UnknownAgentError(agentType, known, agentType === config.agent ? config.agentPath : undefined);
}
