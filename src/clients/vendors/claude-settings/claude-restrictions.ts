import { homedir } from "node:os";
import path from "node:path";
import type { SessionConfig } from "../../../contracts/index.ts";
import type { ClientOptions } from "../../options/client-options.ts";
import { CLAUDE_TOOLS } from "./claude-tool-table.ts";

/** Modes in which Claude Code runs no hooks, so nobody would decide about its tool calls. */
export const WITHOUT_HOOKS: readonly string[] = ["CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE"];

/**
 * The rules that make Claude Code ask about every tool with an effect. They override the user's `allow` rules, so nothing
 * runs without hooks, not even before the turn is aborted for that.
 */
const ASK_RULES: readonly string[] = [
  ...[...CLAUDE_TOOLS].flatMap(([name, { isQuiet }]) => (isQuiet === true ? [] : [name])),
  "mcp__*",
];

/** See {@link restrictiveSettings}. */
export type RestrictiveSettings = {
  /** What is left out: all instructions outside the user's own folder. */
  readonly claudeMdExcludes: string[];
  readonly permissions: { ask: string[] };
  readonly disableSkillShellExecution: boolean;
  readonly crossSessionInbound: "refuse";
};

/**
 * Settings of every session that override those in files: rules that ask about each call, no shell lines in the user's and
 * the project's commands and skills, and no messages from other sessions. Any command allowed anywhere could send such a
 * message as a prompt to a session with more permissions. Atomic itself passes on a project's instructions, because Claude
 * Code would follow their links and imports to files that must not be read. Pure.
 */
export function restrictiveSettings(
  config: Pick<SessionConfig, "permissions" | "beforeTool">,
  options: Pick<ClientOptions, "env" | "homeDirectory">,
): RestrictiveSettings {
  return {
    claudeMdExcludes: [`!${literalGlob(configDirectoryOf(options))}/**`],
    permissions: { ask: [...ASK_RULES] },
    disableSkillShellExecution: !allowsEveryCall(config),
    crossSessionInbound: "refuse",
  };
}

/** Whose settings Claude Code reads. */
export interface SettingSources {
  readonly settingSources?: ("user" | "project" | "local")[];
  readonly strictMcpConfig?: true;
}

type Trust = Pick<ClientOptions, "userSettings" | "projectSettings">;

/**
 * Whose settings Claude Code reads. A project's settings start programs (hooks, MCP servers, helpers, shell lines in
 * skills) and loosen rules, so those of an untrusted project are left out, together with its `CLAUDE.md`. Pure.
 */
export function settingSourcesOf({ userSettings = true, projectSettings = false }: Trust): SettingSources {
  if (!userSettings) return { settingSources: [], strictMcpConfig: true };
  return projectSettings ? {} : { settingSources: ["user"] };
}

/** Whether Atomic passes the project's instructions to Claude Code. Pure. */
export function needsInstructions({ userSettings = true }: Trust): boolean {
  return userSettings;
}

/** Whether every call of every kind is allowed without approval, which no hook could change. Pure. */
function allowsEveryCall({ permissions, beforeTool }: Pick<SessionConfig, "permissions" | "beforeTool">): boolean {
  if (permissions?.otherwise !== "allow" || beforeTool !== undefined) return false;
  return permissions.rules.every(({ effect }) => effect === "allow");
}

/** What `~` means to Claude Code. */
export function homeFolderOf({ env, homeDirectory }: Pick<ClientOptions, "env" | "homeDirectory">): string {
  return homeDirectory ?? env.HOME ?? env.USERPROFILE ?? homedir();
}

/** The folder with Claude Code's conversations and the user's settings. Pure. */
export function configDirectoryOf({ env, homeDirectory }: Pick<ClientOptions, "env" | "homeDirectory">): string {
  if (homeDirectory !== undefined) return path.join(homeDirectory, ".claude");
  return env.CLAUDE_CONFIG_DIR ?? path.join(env.HOME ?? env.USERPROFILE ?? "", ".claude");
}

/** A folder's name as a glob that matches nothing else. */
function literalGlob(folder: string): string {
  return folder.replaceAll(path.sep, "/").replace(/[\\*?[\]{}()!+@|^$]/g, "\\$&");
}
