import { resolve } from "node:path";
import { explainPermission, type PermissionExplanation } from "../../clients/index.ts";
import type { PermissionRequest, PermissionRule } from "../../contracts/index.ts";
import { readToolKind, resolvePermissions } from "../config/permission-flags.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../format-json.ts";
import { formatTable } from "../format-text.ts";
import { createProjectPermissions, PermissionMemoryBrokenError, toolNameIn } from "../permission-memory.ts";
import { permissionFlagsOf, type RunFlags } from "../run-flags.ts";
import { safeLine, safeText } from "../safe-text.ts";
import { UsageError } from "../usage-error.ts";
import { Workspace } from "../workspace.ts";
import type { ShowFlags } from "./runs-commands.ts";

/** `atomic permissions list`: the rules of the settings, and what was allowed for good in this project. */
export async function listPermissionsCommand(environment: CliEnvironment, flags: ShowFlags): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const { permissions } = await workspace.loadConfig(workspace.projectDirectory);
  const remembered = await createProjectPermissions(workspace).list();
  const rules = permissions?.rules ?? [];
  const otherwise = permissions?.otherwise ?? "ask";
  if (flags.json) {
    environment.stdout.write(`${formatJson({ rules, otherwise, remembered })}\n`);
    return ExitCode.done;
  }
  const rows = [
    ...rules.map((rule) => [rule.effect, describeRule(rule), "settings"]),
    ...remembered.map(({ title, allowedAt }) => ["allow", safeLine(title, 80), `by you, ${allowedAt.slice(0, 10)}`]),
    [otherwise, "everything else (reading in the project is allowed)", "settings"],
  ];
  environment.stdout.write(`${formatTable(["EFFECT", "WHAT", "FROM"], rows)}\n`);
  return ExitCode.done;
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
}

/** `atomic permissions why COMMAND`: what the policy says about a call, and which rule says so. Exit code 1 when it is refused. */
export async function whyCommand(
  environment: CliEnvironment,
  command: string | undefined,
  flags: WhyFlags,
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const { workingDirectory } = workspace;
  const request = createRequest(command, flags, workingDirectory);
  const { permissions } = await workspace.loadConfig(workspace.projectDirectory);
  const policy = resolvePermissions(permissions, permissionFlagsOf(flags));
  const explanation = explainPermission(policy, request, { workingDirectory });
  const memory = explanation.effect === "ask" ? await lookIntoMemory(workspace, request) : { isRemembered: false };
  const { rule: _object, ...rest } = explanation;
  if (flags.json) environment.stdout.write(`${formatJson({ ...rest, ...memory })}\n`);
  else environment.stdout.write(`${safeText(formatExplanation(explanation, memory))}\n`);
  return explanation.effect === "deny" ? ExitCode.failed : ExitCode.done;
}

/** @throws UsageError */
function createRequest(command: string | undefined, flags: WhyFlags, workingDirectory: string): PermissionRequest {
  const kind = readToolKind(flags.kind ?? "shell");
  const paths = (flags.path ?? []).map((path) => resolve(workingDirectory, path));
  if (kind === "shell" && (command === undefined || command.trim() === "")) {
    throw new UsageError(
      'Say which command: atomic permissions why "rm -rf build". Or another call: --kind edit --path src/main.ts',
    );
  }
  if (kind !== "shell" && command !== undefined) {
    throw new UsageError(`A call of the kind "${kind}" has no command. Name files with --path.`);
  }
  const base = { id: "why", sessionId: "why", kind, toolName: kind, title: command ?? paths.join(", "), paths };
  return command === undefined ? base : { ...base, command };
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

function describeRule({ tools, paths, commands }: PermissionRule): string {
  const kinds = tools?.join(", ") ?? "everything";
  const limits = [...(paths ?? []), ...(commands ?? [])];
  return safeText(limits.length === 0 ? kinds : `${kinds}: ${limits.join(" | ")}`);
}
