import { homedir } from "node:os";
import path from "node:path";
import type { SessionConfig } from "../../../contracts/index.ts";
import type { ClientOptions } from "../../options/client-options.ts";
import { CLAUDE_TOOLS } from "./claude-tool-table.ts";

/** Modes in which Claude Code runs no hooks, so that nobody would decide about its tool calls. */
export const WITHOUT_HOOKS: readonly string[] = ["CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE"];

/**
 * The rules with which Claude Code asks about every tool that could do something: they win over rules of the user's that
 * allow, so that nothing runs where the hooks do not, not even before the turn is aborted for that.
 */
const ASK_RULES: readonly string[] = [
  ...[...CLAUDE_TOOLS].flatMap(([name, { isQuiet }]) => (isQuiet === true ? [] : [name])),
  "mcp__*",
];

/** See {@link restrictiveSettings}. */
export type RestrictiveSettings = {
  /** What is left out: all instructions that do not lie in the user's own folder. */
  readonly claudeMdExcludes: string[];
  readonly permissions: { ask: string[] };
  readonly disableSkillShellExecution: boolean;
  readonly crossSessionInbound: "refuse";
};

/**
 * Settings that count more than those in files, for every session: rules that ask about each call, no shell lines in the
 * user's and the project's own commands and skills, and no messages from other sessions. Those would come from any command
 * that was allowed anywhere, as prompts to a session in which more is allowed. A project's instructions are told by Atomic:
 * Claude Code would follow their links and imports to files that may not be read. Pure.
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
 * Whose settings Claude Code reads. Those of a project start programs (hooks, MCP servers, helpers, shell lines in skills)
 * and loosen rules, so an untrusted one's are left out, `CLAUDE.md` with them. Pure.
 */
export function settingSourcesOf({ userSettings = true, projectSettings = false }: Trust): SettingSources {
  if (!userSettings) return { settingSources: [], strictMcpConfig: true };
  return projectSettings ? {} : { settingSources: ["user"] };
}

/** Whether Atomic tells Claude Code what the project's files tell agents. Pure. */
export function needsInstructions({ userSettings = true }: Trust): boolean {
  return userSettings;
}

/** Whether every call of every kind is allowed without a question, which no hook could change. Pure. */
function allowsEveryCall({ permissions, beforeTool }: Pick<SessionConfig, "permissions" | "beforeTool">): boolean {
  if (permissions?.otherwise !== "allow" || beforeTool !== undefined) return false;
  return permissions.rules.every(({ effect }) => effect === "allow");
}

/** What Claude Code takes `~` for. */
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
