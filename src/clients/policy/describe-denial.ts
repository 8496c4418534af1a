import {
  type PermissionPolicy,
  type PermissionRequest,
  type PermissionRule,
  PLAN_MODE_RULE,
  type ToolKind,
} from "../../contracts/index.ts";
import { CommandLine } from "./commands/command-line.ts";
import type { EditObstacle, PermissionEvaluation } from "./rules/evaluate-permission.ts";
import { explainPermission } from "./rules/explain-permission.ts";
import { formatPaths } from "./rules/format-paths.ts";
import { matchRule } from "./rules/match-rule.ts";
import { formatRule } from "./rules/propose-rule.ts";
import { isListed } from "./rules/tool-list.ts";

/** A call that the policy denies, or that nobody can approve, and the policy's evaluation of it. */
export interface DeniedCall {
  readonly policy: PermissionPolicy;
  readonly request: PermissionRequest;
  readonly evaluation: PermissionEvaluation;
  /** False if the search was not checked to its end. */
  readonly isComplete: boolean;
  /** The absolute folder that the policy's relative globs start from. */
  readonly workingDirectory: string;
}

/** Ends the denial of a search. */
const NARROWER = "Search a folder without such files, or limit the search by the ending of file names.";

/** The reason of a denial in plan mode. */
export const PLAN_MODE_DENIAL = "Denied: in plan mode nothing is changed and no command runs. Only read, and plan.";

/** The longest quotation of a command, a name or a rule, in characters. */
const MAX_QUOTED_LENGTH = 160;

/** The most texts that are listed. */
const MAX_LISTED = 6;

/**
 * One line for the agent: the rule or obstacle that the call met, and what would be allowed. It quotes the call itself and
 * the user's rules, never the content of a file or the name of a file that only a search would find. Pure.
 */
export function describeDenial(call: DeniedCall): string {
  const { policy, request, evaluation, isComplete } = call;
  const { effect, rule, obstacle } = evaluation;
  if (rule === PLAN_MODE_RULE) return PLAN_MODE_DENIAL;
  if (rule?.exceptTools !== undefined && effect === "deny") return describeUnlisted(rule.exceptTools, call);
  // A rule about a file that a search reaches would disclose that file to the agent.
  if (request.search !== undefined) return describeSearch(call);
  if (effect === "deny") {
    if (rule !== undefined) return `Denied by ${describeRule(rule, call)}.`;
    return `Denied: ${describeLack(call)}, and what no rule allows is denied here.${describeAllowed(policy, request)}`;
  }
  const nobody = "and nobody can approve it here";
  if (rule?.effect === "ask") return `Denied: approval is required by ${describeRule(rule, call)}, ${nobody}.`;
  if (obstacle !== undefined) return `Denied: ${describeObstacle(obstacle, call.workingDirectory)}, ${nobody}.`;
  return `Denied: ${describeLack(call)}, ${nobody}.${isComplete ? describeAllowed(policy, request) : ""}`;
}

/** The list has no such tool, or only for other calls. */
function describeUnlisted(names: readonly string[], { request }: DeniedCall): string {
  if (names.length === 0) return "Denied: no tool may be used here. Answer without tools.";
  const tool = quote(request.toolName);
  const known = `the tools that may be used here: ${listSome(names.map(quote))}`;
  return isListed(names, request)
    ? `Denied: this call of ${tool} goes beyond ${known}.`
    : `Denied: ${tool} is not among ${known}.`;
}

/** A clause for a person, and for the agent. */
export function describeObstacle(obstacle: EditObstacle, workingDirectory: string): string {
  switch (obstacle.type) {
    case "protected-file":
      return `${formatPaths([obstacle.match.file], workingDirectory)} is protected: ${obstacle.match.reason}`;
    case "no-file-named":
      return "the call does not say which file it changes";
  }
}

function describeSearch({ request, evaluation, isComplete, workingDirectory }: DeniedCall): string {
  const named = quote(formatPaths(request.paths.slice(0, 1), workingDirectory));
  const isDenied = evaluation.effect === "deny" && (isComplete || evaluation.rule !== undefined);
  if (isDenied) return `Denied: this search of ${named} can read files that are denied. ${NARROWER}`;
  if (!isComplete) {
    return `Denied: ${named} holds too many files to check what this search can read, and nobody can approve it here. ${NARROWER}`;
  }
  return `Denied: this search of ${named} can read files that require approval, and nobody can approve it here. ${NARROWER}`;
}

/** The rule that matched, and the part of the call that it matched. */
function describeRule(rule: PermissionRule, { request, workingDirectory }: DeniedCall): string {
  const name = `the rule ${quote(formatRule(rule))}`;
  const match = matchRule(rule, request, { workingDirectory, line: new CommandLine(request.command ?? "") });
  if (match.type !== "whole") return name;
  const { command, files } = match;
  if (command !== undefined) return `${name}, which matches ${quote(command.text)}`;
  const [file] = files;
  return file === undefined ? name : `${name}, which matches ${quote(formatPaths([file.text], workingDirectory))}`;
}

/** Why no rule allows a call: a clause. */
function describeLack(call: DeniedCall): string {
  const { policy, request, workingDirectory } = call;
  if (request.command === undefined) return `no rule allows ${describeSubject(call)}`;
  const { commands, obstacles } = explainPermission(policy, request, { workingDirectory });
  if (obstacles.length > 0) return `no pattern can allow a command line that holds ${obstacles.join(" and ")}`;
  const missing = commands.filter(({ effect }) => effect !== "allow").map(({ command }) => quote(command));
  const risk = describeRisk(call);
  return `no rule allows the command ${listSome(missing.length === 0 ? [quote(request.command)] : missing)}${risk}`;
}

/** The part that a matching pattern does not spell out, such as an option that runs another program. */
function describeRisk({ policy, request, workingDirectory }: DeniedCall): string {
  const options = { workingDirectory, line: new CommandLine(request.command ?? "") };
  for (const rule of policy.rules.filter(({ effect }) => effect === "allow")) {
    const match = matchRule(rule, request, options);
    const unspelled =
      match.type === "parts"
        ? match.unspelled
        : match.type === "none" && match.because.type === "commands"
          ? match.because.unspelled
          : undefined;
    if (unspelled === undefined) continue;
    const { glob, risk } = unspelled;
    return ` (${quote(glob)} does not cover ${quote(risk.text)}: ${risk.reason})`;
  }
  return "";
}

const CALLS_OF_KIND: Readonly<Record<ToolKind, string>> = {
  read: "reading",
  edit: "changing",
  shell: "the command",
  fetch: "network access by",
  mcp: "the tool",
  agent: "the sub-agent tool",
  other: "the tool",
};

function describeSubject({ request, workingDirectory }: DeniedCall): string {
  const { kind, toolName, paths } = request;
  const names = paths.length === 0 ? [toolName] : paths.map((file) => formatPaths([file], workingDirectory));
  return `${CALLS_OF_KIND[kind]} ${listSome(names.map(quote))}`;
}

/** The patterns that the rules allow for this kind of call. */
function describeAllowed({ rules }: PermissionPolicy, { kind }: PermissionRequest): string {
  const globs = rules
    .filter(({ effect, tools }) => effect === "allow" && (tools?.includes(kind) ?? true))
    .flatMap(({ paths = [], commands = [] }) => (kind === "shell" ? commands : paths));
  return globs.length === 0 ? "" : ` Allowed without approval: ${listSome(globs.map(quote))}.`;
}

function listSome(texts: readonly string[]): string {
  const more = texts.length > MAX_LISTED ? [`${texts.length - MAX_LISTED} more`] : [];
  return [...texts.slice(0, MAX_LISTED), ...more].join(", ");
}

/** As JSON, so that it stays on its line. */
function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text);
}
