import {
  isSecretName,
  type PermissionEffect,
  type PermissionPolicy,
  type PermissionRequest,
  type PermissionRule,
} from "../../../contracts/index.ts";
import { CommandLine } from "../commands/command-line.ts";
import { findProtectedFile, type ProtectedFileMatch } from "./find-protected-file.ts";
import { isOutside, type MatchOptions, matchRule, relativeTo } from "./match-rule.ts";
import { coverTool } from "./tool-list.ts";

/** What a policy says about one request. */
export interface PermissionEvaluation {
  readonly effect: PermissionEffect;
  /** The rule that decided; absent when none matched and `otherwise` applied. */
  readonly rule?: PermissionRule;
  /** Why a change always requires approval, whatever allows changes; absent for one that is allowed or denied. */
  readonly obstacle?: EditObstacle;
}

/** Why a change requires approval even where rules, or `otherwise`, allow changes. */
export type EditObstacle =
  | { readonly type: "protected-file"; readonly match: ProtectedFileMatch }
  /** The call names no file to evaluate. */
  | { readonly type: "no-file-named" };

/** Settings of {@link evaluatePermission}. */
export interface EvaluatePermissionOptions {
  /** The absolute folder that the policy's relative globs, and the request's relative paths, start from. */
  readonly workingDirectory: string;
}

/**
 * Applies a policy to a request. Never throws and reads no file.
 *
 * 1. The strictest matching rule wins: `deny` before `ask` before `allow`; the order of the rules has no effect.
 * 2. A `deny` or `ask` rule matches as soon as one path, or one command anywhere in the command line, matches, also quoted
 *    or after `then` or `sudo`; it ignores case. It compares texts and does not know programs: `rm *` matches neither
 *    `/bin/rm x` nor a script that calls `rm`. To prevent an action for certain, do not allow it.
 * 3. An `allow` rule matches only when every path matches one of its globs. A glob matches outside the working directory
 *    only if it is absolute or starts with `../`.
 * 4. A command line is allowed only when every command in it is. One that cannot be parsed for certain, or that is longer
 *    than `MAX_COMMAND_LINE_LENGTH`, is allowed only by the glob `*` or by the identical text.
 * 5. What makes a program run others (`git -c`, `find -exec`, `NAME=value` before it; the table is `programs/`) is
 *    allowed only by a glob that spells it out: wildcards do not match it.
 * 6. The time is linear in the length of the command line. For a line that is too long, a `deny` or `ask` rule matches if
 *    its text could be that of any command in the line.
 * 7. A change of a file that makes code run or rules change later (`PROTECTED_FILES`, the request's `gitFolders`, and
 *    everything outside the working directory) requires approval, unless an allowing rule names that file. So does a
 *    change that names no file. Only where `otherwise` is `allow` and no rule restricts commands, nothing is protected: a
 *    command could change the file.
 * 8. `exceptTools` spares a call only if its list covers all of it: for `Bash(git:*)`, every command in the line, as
 *    strictly as an `allow` rule.
 *
 * ```ts
 * evaluatePermission(
 *   { rules: [{ effect: "allow", tools: ["shell"], commands: ["npm test*"] }] },
 *   { id: "1", sessionId: "s", kind: "shell", toolName: "bash", title: "", paths: [], command: "npm test; rm -rf ." },
 *   { workingDirectory: "/work" },
 * ); // { effect: "ask" }
 * ```
 */
export function evaluatePermission(
  policy: PermissionPolicy,
  request: PermissionRequest,
  { workingDirectory }: EvaluatePermissionOptions,
): PermissionEvaluation {
  const options = { workingDirectory, line: new CommandLine(request.command ?? "") };
  const forbidding = (effect: PermissionEffect): PermissionRule | undefined =>
    policy.rules.find(
      (candidate) => candidate.effect === effect && matchRule(candidate, request, options).type === "whole",
    );
  const denying = forbidding("deny");
  if (denying !== undefined) return { effect: "deny", rule: denying };
  const asking = forbidding("ask");
  const rule = asking ?? findAllowingRule(policy, request, options);
  const effect = rule?.effect ?? policy.otherwise ?? "ask";
  const decided = rule === undefined ? {} : { rule };
  const obstacle = effect === "deny" ? undefined : findEditObstacle(policy, request, workingDirectory);
  return obstacle === undefined ? { effect, ...decided } : { effect: "ask", ...decided, obstacle };
}

/** Invariant 7. */
function findEditObstacle(
  policy: PermissionPolicy,
  { kind, paths, gitFolders = [] }: PermissionRequest,
  workingDirectory: string,
): EditObstacle | undefined {
  if (kind !== "edit" || allowsAnyCommand(policy)) return undefined;
  if (paths.length === 0) return { type: "no-file-named" };
  const match = findProtectedFile(paths, policy, { workingDirectory, gitFolders });
  return match === undefined ? undefined : { type: "protected-file", match };
}

const A_COMMAND = { toolName: "bash", kind: "shell" } as const;

/** Whether a shell command may do anything, including changing every file. */
function allowsAnyCommand({ rules, otherwise }: PermissionPolicy): boolean {
  if (otherwise !== "allow") return false;
  const limitsCommands = ({ effect, tools, exceptTools, paths }: PermissionRule): boolean =>
    effect !== "allow" &&
    paths === undefined &&
    (tools?.includes("shell") ?? true) &&
    (exceptTools === undefined || coverTool(exceptTools, A_COMMAND).type !== "all");
  return !rules.some(limitsCommands);
}

/**
 * Whether a request only reads, inside the working directory, files whose names do not suggest secrets. Clients allow such
 * a call where no rule of the policy matches, whatever its `otherwise` says.
 */
export function isOrdinaryReading(
  request: PermissionRequest,
  { workingDirectory }: EvaluatePermissionOptions,
): boolean {
  // A call that names no file may read any.
  if (request.kind !== "read" || request.paths.length === 0) return false;
  return request.paths.every((named) => {
    const relative = relativeTo(workingDirectory, named);
    return !isOutside(relative) && !isSecretName(relative.slice(relative.lastIndexOf("/") + 1));
  });
}

/** Invariants 3 and 4: the first rule that covers everything, else the first of those that cover single commands. */
function findAllowingRule(
  policy: PermissionPolicy,
  request: PermissionRequest,
  options: MatchOptions,
): PermissionRule | undefined {
  const allowing = policy.rules
    .filter(({ effect }) => effect === "allow")
    .map((rule) => ({ rule, match: matchRule(rule, request, options) }));
  const whole = allowing.find(({ match }) => match.type === "whole");
  if (whole !== undefined || request.command === undefined) return whole?.rule;
  const covering = options.line.split.parts.map((part) =>
    allowing.find(({ match }) => match.type === "parts" && match.parts.has(part)),
  );
  return covering.every((one) => one !== undefined) ? covering[0]?.rule : undefined;
}
