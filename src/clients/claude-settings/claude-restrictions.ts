import { homedir } from "node:os";
import type { SessionConfig } from "../../contracts/index.ts";
import type { ClientOptions } from "../client-options.ts";
import { CLAUDE_TOOLS } from "./claude-tool-table.ts";

/** Modes in which Claude Code runs no hooks, so that nobody would decide about its tool calls. */
export const WITHOUT_HOOKS: readonly string[] = ["CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE"];

/**
 * The rules with which Claude Code asks about every tool that could do something: they win over rules of the user's that
 * allow, so that nothing runs where the hooks do not, not even before the turn is aborted for that.
 */
export const ASK_RULES: readonly string[] = [
  ...[...CLAUDE_TOOLS].flatMap(([name, { isQuiet }]) => (isQuiet === true ? [] : [name])),
  "mcp__*",
];

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
export function needsInstructions({ userSettings = true, projectSettings = false }: Trust): boolean {
  return userSettings && !projectSettings;
}

/** Whether every call of every kind is allowed without a question, which no hook could change. Pure. */
export function allowsEveryCall({
  permissions,
  beforeTool,
}: Pick<SessionConfig, "permissions" | "beforeTool">): boolean {
  if (permissions?.otherwise !== "allow" || beforeTool !== undefined) return false;
  return permissions.rules.every(({ effect }) => effect === "allow");
}

/** What Claude Code takes `~` for. */
export function homeFolderOf({ env, homeDirectory }: Pick<ClientOptions, "env" | "homeDirectory">): string {
  return homeDirectory ?? env.HOME ?? env.USERPROFILE ?? homedir();
}
