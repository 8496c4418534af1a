import { resolve } from "node:path";
import {
  explainPermission,
  OUTSIDE_FILES,
  type PermissionExplanation,
  PROTECTED_FILES,
  type ProtectedFile,
  withRealNames,
  withSearchReach,
} from "../../clients/index.ts";
import type { PermissionRequest, PermissionRule, ToolKind } from "../../contracts/index.ts";
import { readToolKind, resolvePermissions } from "../config/permission-flags.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../format-json.ts";
import { formatTable } from "../format-text.ts";
import { createProjectPermissions, PermissionMemoryBrokenError, toolNameIn } from "../permission-memory.ts";
import { permissionFlagsOf, type RunFlags } from "../run-flags.ts";
import { safeLine, safeText } from "../safe-text.ts";
import { UsageError } from "../usage-error.ts";
import { visibleLine } from "../visible/visible-text.ts";
import { Workspace } from "../workspace.ts";
import type { ShowFlags } from "./runs-commands.ts";

/** `atomic permissions list`: the rules of the settings, and what was allowed for good in this project. */
export async function listPermissionsCommand(environment: CliEnvironment, flags: ShowFlags): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const { permissions } = await workspace.loadConfig(workspace.projectDirectory);
  const remembered = await createProjectPermissions(workspace).list();
  const rules = permissions?.rules ?? [];
  const otherwise = permissions?.otherwise ?? "ask";
  const own = (permissions?.protectedPaths ?? []).map((pattern) => ({ pattern, reason: "your settings list it" }));
  const protectedFiles = [...own, ...PROTECTED_FILES, OUTSIDE_FILES];
  if (flags.json) {
    environment.stdout.write(`${formatJson({ rules, otherwise, remembered, protectedFiles })}\n`);
    return ExitCode.done;
  }
  const rows = [
    ...rules.map((rule) => [rule.effect, describeRule(rule), "settings"]),
    ...remembered.map(({ title, allowedAt }) => ["allow", safeLine(title, 80), `by you, ${allowedAt.slice(0, 10)}`]),
    [otherwise, "everything else (reading in the project is allowed)", "settings"],
  ];
  environment.stdout.write(`${formatTable(["EFFECT", "WHAT", "FROM"], rows)}\n\n${formatProtected(protectedFiles)}\n`);
  return ExitCode.done;
}

/** What is protected, a paragraph for each reason. */
function formatProtected(files: readonly ProtectedFile[]): string {
  const patterns = new Map<string, readonly string[]>();
  for (const { pattern, reason } of files) patterns.set(reason, [...(patterns.get(reason) ?? []), pattern]);
  return [
    "Changes of these files require approval, unless a rule names them:",
    ...[...patterns].flatMap(([reason, globs]) => [`  ${globs.map(visibleLine).join("  ")}`, `      ${reason}`]),
  ].join("\n");
}

/** `atomic permissions forget`: takes back what was allowed for good in this project. */
export async function forgetPermissionsCommand(environment: CliEnvironment, flags: ShowFlags): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const count = await createProjectPermissions(workspace).forgetAll();
  const text =
    count === 0 ? "Nothing was allowed for good in this project." : `Forgotten: ${count}. You will be asked again.`;
  environment.stdout.write(`${flags.json ? formatJson({ forgotten: count }) : text}\n`);
  return ExitCode.done;
}

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

/** `atomic permissions why COMMAND`: what the policy says about a call, and which rule says so. Exit code 1 when it is refused. */
export async function whyCommand(
  environment: CliEnvironment,
  command: string | undefined,
  flags: WhyFlags,
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const { workingDirectory } = workspace;
  const asked = createRequest(command, flags, workingDirectory);
  const { permissions } = await workspace.loadConfig(workspace.projectDirectory);
  const policy = resolvePermissions(permissions, permissionFlagsOf(flags));
  // As the gate sees it: with the files that links lead to, and those that a search would read.
  const named = await withRealNames(asked, { workingDirectory });
  const { request, isComplete } = await withSearchReach(named, { policy, workingDirectory });
  const explained = explainPermission(policy, request, { workingDirectory });
  const explanation = isComplete || explained.effect === "deny" ? explained : { ...explained, effect: "ask" as const };
  const memory = explanation.effect === "ask" ? await lookIntoMemory(workspace, request) : { isRemembered: false };
  const { rule: _object, ...rest } = explanation;
  const reached = asked.search === undefined ? {} : { reached: request.paths.slice(asked.paths.length), isComplete };
  if (flags.json) environment.stdout.write(`${formatJson({ ...rest, ...reached, ...memory })}\n`);
  else
    environment.stdout.write(
      `${safeText([formatExplanation(explanation, memory), ...formatReach(reached)].join("\n"))}\n`,
    );
  return explanation.effect === "deny" ? ExitCode.failed : ExitCode.done;
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
    ...(isSearch ? { search: include === undefined ? {} : { include } } : {}),
  };
}

/** A tool that is named by itself is one that Atomic knows nothing about. */
function defaultKind(command: string | undefined, isSearch: boolean, tool: string | undefined): ToolKind {
  if (command !== undefined) return "shell";
  if (isSearch) return "read";
  return tool === undefined ? "shell" : "other";
}

/** What the memory of this project has to say about a call. */
interface MemoryFinding {
  readonly isRemembered: boolean;
  /** Why the memory could not be read. */
  readonly memoryProblem?: string;
}

/** As a run sees it: a memory that is broken allows nothing, and stops nothing. */
async function lookIntoMemory(workspace: Workspace, request: PermissionRequest): Promise<MemoryFinding> {
  try {
    return { isRemembered: await isAllowedForGood(workspace, request) };
  } catch (error) {
    if (!(error instanceof PermissionMemoryBrokenError)) throw error;
    return { isRemembered: false, memoryProblem: error.message };
  }
}

/** Agents call their shells by different names, and what was allowed for good names one of them. */
async function isAllowedForGood(workspace: Workspace, request: PermissionRequest): Promise<boolean> {
  const memory = createProjectPermissions(workspace);
  const answers = await Promise.all(
    (await memory.list()).map(({ key }) =>
      memory.isAllowed({ ...request, toolName: toolNameIn(key) ?? request.toolName }),
    ),
  );
  return answers.includes(true);
}

const VERDICTS = {
  allow: "allowed",
  ask: "a person is asked; refused where nobody can be asked",
  deny: "refused",
} as const;

function formatExplanation(explanation: PermissionExplanation, memory: MemoryFinding): string {
  const { isRemembered, memoryProblem } = memory;
  const { effect, reason, rules, commands, obstacles } = explanation;
  const parts = commands.length > 1 ? commands : [];
  return [
    `${VERDICTS[effect]}: ${reason}`,
    ...(isRemembered ? ["You allowed the very same call for good in this project, so nobody is asked."] : []),
    ...(memoryProblem === undefined ? [] : [memoryProblem]),
    ...obstacles.map((obstacle) => `The line cannot be taken apart for certain, because it holds ${obstacle}.`),
    ...(parts.length > 0 ? ["", "Command by command:"] : []),
    ...parts.map((part) => `  ${part.command}: ${VERDICTS[part.effect]}. ${part.reason}`),
    ...(rules.length > 0 ? ["", "Rules, the strictest first:"] : []),
    ...rules.map(({ number, rule, reason: why }) => `  ${number}. ${rule.effect} ${describeRule(rule)}: ${why}`),
  ].join("\n");
}

/** Which files a search would read although the policy does not simply allow that. */
function formatReach({ reached = [], isComplete = true }: SearchFinding): readonly string[] {
  return [
    ...(reached.length === 0 ? [] : ["", "The search would read:", ...reached.map((path) => `  ${visibleLine(path)}`)]),
    ...(isComplete ? [] : ["", "The folder holds too many files to check, so the search requires approval."]),
  ];
}

interface SearchFinding {
  readonly reached?: readonly string[];
  readonly isComplete?: boolean;
}

function describeRule({ tools, paths, commands }: PermissionRule): string {
  const kinds = tools?.join(", ") ?? "everything";
  const limits = [...(paths ?? []), ...(commands ?? [])];
  return safeText(limits.length === 0 ? kinds : `${kinds}: ${limits.join(" | ")}`);
}
