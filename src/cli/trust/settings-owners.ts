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

/** The owner of a project's hooks, where Atomic runs them with any agent. */
export function hookOwners(
  { hooks }: Pick<Config, "hooks">,
  flags: { readonly hooks?: boolean },
): readonly ProjectSettingsOwner[] {
  const isOff = flags.hooks === false || hooks === "off" || hooks === "user";
  return isOff ? [] : ["hooks"];
}

/** The owners of the project settings that an agent would load: its own kind, and git, which every agent calls. */
export function ownersFor(agentType: string, config: Config): readonly ProjectSettingsOwner[] {
  if (agentType === "scripted") return [];
  // Names without their own client have ACP settings, and the preset is their kind.
  const settings = settingsOf(config, agentType) as AcpAgentSettings | undefined;
  const kind = settings?.preset ?? agentType;
  // An agent with `userSettings: false` loads only Atomic's settings.
  const isIsolated = settings?.userSettings === false && kind !== "gemini" && kind !== "codex";
  const owner = Object.hasOwn(OWNER_BY_KIND, kind) ? OWNER_BY_KIND[kind] : undefined;
  return [...(owner === undefined || isIsolated ? [] : [owner]), "git"];
}
