import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { HookVendor, UserHook } from "../../contracts/index.ts";
import type { AcpAgentSettings } from "../config/agent-settings.ts";
import { type Config, settingsOf } from "../config/config.ts";

/** Whose hooks Atomic runs. */
export type HooksSetting = NonNullable<Config["hooks"]>;

/** Why a hook does or does not run. */
export type HookState =
  | "runs"
  /** Hooks are turned off, or those of projects are. */
  | "off"
  | "untrusted"
  /** The agent's own program runs it. */
  | "by-agent"
  /** The agent is set up without the user's settings. */
  | "without-settings";

/** On what it depends whether a hook runs. */
export interface SelectHooksOptions {
  readonly agentType: string;
  readonly config: Config;
  readonly setting: HooksSetting;
  readonly isProjectTrusted: boolean;
  /** The agent's. */
  readonly workingDirectory: string;
}

/** `--no-hooks`, or else the setting. */
export function hooksSettingOf(config: Config, { hooks = true }: { readonly hooks?: boolean }): HooksSetting {
  return hooks ? (config.hooks ?? "project-and-user") : "off";
}

/** Whether a hook runs with an agent, and why not. */
export function stateOf(hook: UserHook, options: SelectHooksOptions): HookState {
  const { agentType, config, setting, isProjectTrusted } = options;
  if (setting === "off" || (setting === "user" && hook.source === "project")) return "off";
  if (hook.source === "project" && !isProjectTrusted) return "untrusted";
  // Names without a client of their own have ACP settings, and the preset is their kind.
  const settings = settingsOf(config, agentType) as AcpAgentSettings | undefined;
  const kind = settings?.preset ?? agentType;
  if (!isReadBy(kind, hook, options)) return "runs";
  const isOwnHome = hook.source === "user" && settings?.homeDirectory !== undefined;
  return settings?.userSettings === false || isOwnHome ? "without-settings" : "by-agent";
}

/** Whether an agent's program reads the file of a hook: its own files; Copilot also reads a project's for Claude Code. */
function isReadBy(
  kind: string,
  { vendor, source, filePath }: UserHook,
  { workingDirectory }: SelectHooksOptions,
): boolean {
  const readers: Readonly<Record<HookVendor, readonly string[]>> = {
    claude: source === "project" ? ["claude", "copilot"] : ["claude"],
    copilot: ["copilot"],
    opencode: ["opencode"],
  };
  if (!readers[vendor].includes(kind)) return false;
  // Claude Code reads the settings in its working directory only.
  const isOfProject = vendor === "claude" && source === "project" && kind === "claude";
  return !isOfProject || existsSync(join(workingDirectory, ".claude", basename(filePath)));
}
