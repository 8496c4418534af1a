import { resolve } from "node:path";
import { type CallExplanation, explainCall } from "../../clients/index.ts";
import {
  assertNever,
  type PermissionEffect,
  type PermissionPolicy,
  type PermissionRequest,
  permissionKey,
  type ToolKind,
} from "../../contracts/index.ts";
import { safeText, visibleLine } from "../../view/index.ts";
import {
  createProjectPermissions,
  PermissionMemoryBrokenError,
  type RememberedPermission,
  toolNameIn,
} from "../agents/permission-memory.ts";
import { describeRuleAdvice } from "../config/describe-rule-advice.ts";
import { readToolKind } from "../config/permission-flags.ts";
import { resolvePermissions } from "../config/resolve-permissions.ts";
import { permissionFlagsOf, type RunFlags } from "../config/run-flags.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../output/format-json.ts";
import { formatRule } from "../output/format-rule.ts";
import { Workspace } from "../workspace.ts";

/** Options of `atomic permissions why`. */
export interface WhyFlags extends RunFlags {
  readonly kind?: string;
  readonly path?: readonly string[];
  /** The agent's name for the tool. */
  readonly tool?: string;
  /** Whether the call searches the files below the paths. */
  readonly search?: boolean;
  /** The glob that limits a search. */
  readonly include?: string;
}

/**
 * `atomic permissions why COMMAND`: the effect of the policy on a call, and the rule that decides. The exit code is 0 for
 * allowed, 1 for denied, and 3 for a call that requires approval, even if nobody here could approve it.
 */
export async function whyCommand(
  environment: CliEnvironment,
  command: string | undefined,
  flags: WhyFlags,
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const { workingDirectory, atomicHome } = workspace;
  const asked = createRequest(command, flags, workingDirectory);
  const { permissions } = await workspace.loadConfig(workspace.projectDirectory);
  const place = { atomicHome, workingDirectory };
  const policy = resolvePermissions({ configured: permissions, flags: permissionFlagsOf(flags), ...place });
  const verdict = await judge(asked, { policy, workspace, tool: flags.tool });
  const advice = describeRuleAdvice(policy, workingDirectory);
  if (flags.json) environment.stdout.write(`${formatJson(toJson(verdict, asked))}\n`);
  else environment.stdout.write(`${safeText(formatVerdict(verdict, advice))}\n`);
  return exitCodeOf(verdict.explanation.effect);
}

function exitCodeOf(effect: PermissionEffect): ExitCode {
  switch (effect) {
    case "allow":
      return ExitCode.done;
    case "deny":
      return ExitCode.failed;
    case "ask":
      return ExitCode.suspended;
    default:
      return assertNever(effect);
  }
}

/** @throws UsageError */
function createRequest(command: string | undefined, flags: WhyFlags, workingDirectory: string): PermissionRequest {
  const { tool, search = false, include, path: named = [] } = flags;
  const isSearch = search || include !== undefined;
  const kind = readToolKind(flags.kind ?? defaultKind(command, isSearch, tool));
  const paths = (isSearch && named.length === 0 ? ["."] : named).map((path) => resolve(workingDirectory, path));
  if (kind === "shell" && (command === undefined || command.trim() === "")) {
    throw new UsageError(
      'Say which command: atomic permissions why "rm -rf build". Or another call: --kind edit --path src/main.ts',
    );
  }
  if (kind !== "shell" && command !== undefined) {
    throw new UsageError(`A call of the kind "${kind}" has no command. Name files with --path.`);
  }
  if (isSearch && kind !== "read")
    throw new UsageError(`Only a call of the kind "read" searches, and this is "${kind}".`);
  const title = command ?? (paths.length > 0 ? named.join(", ") : (tool ?? kind));
  return {
    ...{ id: "why", sessionId: "why", kind, toolName: tool ?? kind, title, paths },
    ...(command === undefined ? {} : { command }),
    // Agents exclude unreadable files from a search of contents, unless the call has its own `include`.
    ...(isSearch ? { search: include === undefined ? { canExclude: true } : { include } } : {}),
  };
}

/** A call with only a tool name is of a tool that Atomic does not know. */
function defaultKind(command: string | undefined, isSearch: boolean, tool: string | undefined): ToolKind {
  if (command !== undefined) return "shell";
  if (isSearch) return "read";
  return tool === undefined ? "shell" : "other";
}

/** The decision about a call. */
interface Verdict {
  /** Its effect is that of a run, where a remembered call is allowed. */
  readonly explanation: CallExplanation;
  readonly isRemembered: boolean;
  /** Why the remembered calls could not be read. */
  readonly memoryProblem?: string;
  /** The effect on a search with excluded files, for a tool that cannot exclude files. */
  readonly effectWithoutLeavingOut?: PermissionEffect;
}

interface JudgeOptions {
  readonly policy: PermissionPolicy;
  readonly workspace: Workspace;
  readonly tool: string | undefined;
}

async function judge(asked: PermissionRequest, options: JudgeOptions): Promise<Verdict> {
  const { policy, workspace } = options;
  const place = { policy, workingDirectory: workspace.workingDirectory };
  const explanation = await explainCall(asked, place);
  if (explanation.leftOut.length > 0) {
    const whole = await explainCall({ ...asked, search: { ...asked.search, canExclude: false } }, place);
    return { explanation, isRemembered: false, effectWithoutLeavingOut: whole.effect };
  }
  if (explanation.effect !== "ask" || explanation.isOnce) return { explanation, isRemembered: false };
  const found = await findRemembered(explanation.request, options);
  if (typeof found === "string") return { explanation, isRemembered: false, memoryProblem: found };
  if (found === undefined) return { explanation, isRemembered: false };
  const day = found.allowedAt.slice(0, 10);
  const tool = JSON.stringify(toolNameIn(found.key));
  const reason = `You allowed this very call of the tool ${tool} for good in this project, on ${day}. Otherwise: ${explanation.reason}`;
  return { explanation: { ...explanation, effect: "allow", reason }, isRemembered: true };
}

/**
 * Finds the same call among the remembered ones. Agents name their shells differently, and a remembered call has one of the
 * names. As in a run, a broken memory allows nothing and is no error; then the result is the reason.
 */
async function findRemembered(
  request: PermissionRequest,
  { workspace, tool }: JudgeOptions,
): Promise<RememberedPermission | string | undefined> {
  try {
    const remembered = await createProjectPermissions(workspace).list();
    return remembered.find(
      ({ key }) => key === permissionKey({ ...request, toolName: tool ?? toolNameIn(key) ?? request.toolName }),
    );
  } catch (error) {
    if (!(error instanceof PermissionMemoryBrokenError)) throw error;
    return error.message;
  }
}

function toJson({ explanation, ...more }: Verdict, asked: PermissionRequest): unknown {
  const { rule: _object, request: _asked, isOnce, reached, leftOut, isComplete, ...rest } = explanation;
  return { ...rest, isOnce, ...(asked.search === undefined ? {} : { reached, leftOut, isComplete }), ...more };
}

const VERDICTS = { allow: "allowed", ask: "requires approval", deny: "denied" } as const;

function formatVerdict(
  { explanation, memoryProblem, effectWithoutLeavingOut }: Verdict,
  advice: readonly string[],
): string {
  const { effect, reason, rules, commands, obstacles } = explanation;
  const parts = commands.length > 1 ? commands : [];
  return [
    `${VERDICTS[effect]}: ${reason}`,
    ...(effect === "ask" ? ["It is denied if nobody can answer."] : []),
    ...(memoryProblem === undefined ? [] : [memoryProblem]),
    ...obstacles.map((obstacle) => `The line cannot be parsed reliably, because it contains ${obstacle}.`),
    ...formatReach(explanation, effectWithoutLeavingOut),
    ...(parts.length > 0 ? ["", "Command by command:"] : []),
    ...parts.map((part) => `  ${part.command}: ${VERDICTS[part.effect]}. ${part.reason}`),
    ...(rules.length > 0 ? ["", "Rules, the strictest first:"] : []),
    ...rules.map(({ number, rule, reason: why }) => `  ${number}. ${rule.effect} ${formatRule(rule)}: ${why}`),
    ...(advice.length > 0 ? ["", ...advice] : []),
  ].join("\n");
}

/** Files that a search would read although the policy does not simply allow it, and files that it excludes. */
function formatReach(
  { reached, leftOut }: CallExplanation,
  effectWithoutLeavingOut: PermissionEffect | undefined,
): readonly string[] {
  const others = effectWithoutLeavingOut === "deny" ? "is denied" : "requires approval";
  return [
    ...(reached.length === 0 ? [] : ["", "The search would read:", ...reached.map((path) => `  ${visibleLine(path)}`)]),
    ...(leftOut.length === 0 ? [] : ["", "The search leaves out:", ...leftOut.map((name) => `  ${visibleLine(name)}`)]),
    ...(leftOut.length === 0 ? [] : [`A search that cannot leave files out, such as one for file names, ${others}.`]),
  ];
}
