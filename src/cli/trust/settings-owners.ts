import type { ProjectSettingsOwner } from "../../discovery/index.ts";
import type { AcpAgentSettings } from "../config/agent-settings.ts";
import { type Config, settingsOf } from "../config/config.ts";

const OWNER_BY_KIND: Readonly<Record<string, ProjectSettingsOwner>> = {
  claude: "claude",
  opencode: "opencode",
  copilot: "copilot",
  gemini: "gemini",
  codex: "codex",
};

/** Whose project settings an agent would load: those of its kind, and those of git, which every agent calls. */
export function ownersFor(agentType: string, config: Config): readonly ProjectSettingsOwner[] {
  if (agentType === "scripted") return [];
  // Names without a client of their own have such settings, and a preset says what they are.
  const settings = settingsOf(config, agentType) as AcpAgentSettings | undefined;
  const kind = settings?.preset ?? agentType;
  // An agent with `userSettings: false` loads nobody's settings but those that Atomic gives it.
  const isIsolated = settings?.userSettings === false && kind !== "gemini" && kind !== "codex";
  const owner = Object.hasOwn(OWNER_BY_KIND, kind) ? OWNER_BY_KIND[kind] : undefined;
  return [...(owner === undefined || isIsolated ? [] : [owner]), "git"];
}
