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
import { safeText } from "../../view/index.ts";
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
import { visibleLine } from "../visible/visible-text.ts";
import { Workspace } from "../workspace.ts";

/** Options of `atomic permissions why`. */
export interface WhyFlags extends RunFlags {
  readonly kind?: string;
  readonly path?: readonly string[];
  /** The agent's name of the tool. */
  readonly tool?: string;
  /** Whether the call reads what lies below the paths. */
  readonly search?: boolean;
  /** The glob that limits a search. */
  readonly include?: string;
}

/**
 * `atomic permissions why COMMAND`: what becomes of a call in a run, and which rule decides. The exit code is 0 for allowed,
 * 1 for denied, and 3 for what requires approval, whether or not somebody could be asked here.
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
    // Agents that search the contents of files leave out what may not be read, unless the call limits the search itself.
    ...(isSearch ? { search: include === undefined ? { canExclude: true } : { include } } : {}),
  };
}

/** A tool that is named by itself is one that Atomic knows nothing about. */
function defaultKind(command: string | undefined, isSearch: boolean, tool: string | undefined): ToolKind {
  if (command !== undefined) return "shell";
  if (isSearch) return "read";
  return tool === undefined ? "shell" : "other";
}

/** What becomes of a call. */
interface Verdict {
  /** Its effect is the run's: a call that was allowed for good is allowed. */
  readonly explanation: CallExplanation;
  readonly isRemembered: boolean;
  /** Why what was allowed for good could not be read. */
  readonly memoryProblem?: string;
  /** What becomes of a search that leaves files out, in the hands of a tool that cannot do that. */
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
 * Looks for the very same call. Agents call their shells by different names, and what was allowed for good names one of
 * them. As in a run, a memory that is broken allows nothing, and stops nothing; then the text says why.
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
    ...(effect === "ask" ? ["Where nobody can be asked, it is denied."] : []),
    ...(memoryProblem === undefined ? [] : [memoryProblem]),
    ...obstacles.map((obstacle) => `The line cannot be taken apart for certain, because it holds ${obstacle}.`),
    ...formatReach(explanation, effectWithoutLeavingOut),
    ...(parts.length > 0 ? ["", "Command by command:"] : []),
    ...parts.map((part) => `  ${part.command}: ${VERDICTS[part.effect]}. ${part.reason}`),
    ...(rules.length > 0 ? ["", "Rules, the strictest first:"] : []),
    ...rules.map(({ number, rule, reason: why }) => `  ${number}. ${rule.effect} ${formatRule(rule)}: ${why}`),
    ...(advice.length > 0 ? ["", ...advice] : []),
  ].join("\n");
}

/** What a search would read although the policy does not simply allow that, or what it goes without. */
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
