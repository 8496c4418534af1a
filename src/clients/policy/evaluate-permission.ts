import path from "node:path";
import type { PermissionEffect, PermissionPolicy, PermissionRequest, PermissionRule } from "../../contracts/index.ts";
import { matchesGlob } from "./glob.ts";
import { commandCandidates, splitCommandLine } from "./split-command-line.ts";

/** What a policy says about one request. */
export interface PermissionEvaluation {
  readonly effect: PermissionEffect;
  /** The rule that decided; absent when none matched and `otherwise` held. */
  readonly rule?: PermissionRule;
}

/** Settings of {@link evaluatePermission}. */
export interface EvaluatePermissionOptions {
  /** The absolute folder that the policy's relative globs, and the request's relative paths, start from. */
  readonly workingDirectory: string;
}

/**
 * Applies a policy to a request. Never throws and reads no file.
 *
 * 1. The strictest matching rule wins: `deny` before `ask` before `allow`; the order of the rules means nothing.
 * 2. A rule that forbids (`deny`, `ask`) matches as soon as one path, or one command hidden anywhere in the command
 *    line, matches; upper and lower case are alike for it.
 * 3. A rule that allows matches only when every path matches one of its globs, and no glob reaches out of the working
 *    directory unless it is absolute or starts with `../`.
 * 4. A command line is allowed only when every command in it is; one that cannot be taken apart for certain only by
 *    the glob `*` or by the identical text.
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
  options: EvaluatePermissionOptions,
): PermissionEvaluation {
  for (const effect of ["deny", "ask"] as const) {
    const rule = policy.rules.find((candidate) => candidate.effect === effect && forbids(candidate, request, options));
    if (rule !== undefined) return { effect, rule };
  }
  const rule = findAllowingRule(policy, request, options);
  if (rule !== undefined) return { effect: "allow", rule };
  return { effect: policy.otherwise ?? "ask" };
}

/**
 * Whether a request only reads, inside the working directory, nothing that by its name holds secrets. Clients let such
 * a call run where no rule of the policy matches, whatever its `otherwise` says.
 */
export function isOrdinaryReading(
  request: PermissionRequest,
  { workingDirectory }: EvaluatePermissionOptions,
): boolean {
  if (request.kind !== "read") return false;
  return request.paths.every((named) => {
    const relative = relativeTo(workingDirectory, named);
    const isSecret = matchesGlob("**/{.env,.env.*}", relative, { kind: "path", ignoreCase: true });
    return !isOutside(relative) && (!isSecret || relative.endsWith(".env.example"));
  });
}

function matchesTool(rule: PermissionRule, request: PermissionRequest): boolean {
  return rule.tools === undefined || rule.tools.includes(request.kind);
}

/** Invariant 2. */
function forbids(rule: PermissionRule, request: PermissionRequest, options: EvaluatePermissionOptions): boolean {
  const { paths, commands } = rule;
  if (!matchesTool(rule, request)) return false;
  if (paths !== undefined && !request.paths.some((named) => paths.some((glob) => forbidsPath(glob, named, options)))) {
    return false;
  }
  if (commands === undefined) return true;
  if (request.command === undefined) return false;
  const candidates = commandCandidates(request.command);
  return commands.some((glob) =>
    candidates.some((text) => matchesGlob(glob, text, { kind: "command", ignoreCase: true })),
  );
}

function forbidsPath(glob: string, named: string, { workingDirectory }: EvaluatePermissionOptions): boolean {
  const relative = relativeTo(workingDirectory, named);
  const absolute = withSlashes(path.resolve(workingDirectory, named));
  const pattern = withoutDotSlash(glob);
  // The third form lets `**/.env` forbid files outside of the working directory, too.
  return [relative, absolute, absolute.replace(/^\//, "")].some((text) =>
    matchesGlob(pattern, text, { kind: "path", ignoreCase: true }),
  );
}

/** Invariants 3 and 4: the rules that may each cover a part of the request. */
function findAllowingRule(
  policy: PermissionPolicy,
  request: PermissionRequest,
  options: EvaluatePermissionOptions,
): PermissionRule | undefined {
  const rules = policy.rules.filter(
    (rule) => rule.effect === "allow" && matchesTool(rule, request) && allowsPaths(rule, request, options),
  );
  const { command } = request;
  const whole = rules.find((rule) => rule.commands === undefined || (command !== undefined && isWhole(rule, command)));
  if (whole !== undefined || command === undefined) return whole;
  const { parts, isOpaque } = splitCommandLine(command);
  if (isOpaque) return undefined;
  const covering = parts.map((part) =>
    rules.find((rule) => rule.commands?.some((glob) => matchesGlob(glob, part, { kind: "command" }))),
  );
  return covering.every((rule) => rule !== undefined) ? covering[0] : undefined;
}

function isWhole(rule: PermissionRule, command: string): boolean {
  return rule.commands?.some((glob) => glob === "*" || glob === command) ?? true;
}

function allowsPaths(rule: PermissionRule, request: PermissionRequest, options: EvaluatePermissionOptions): boolean {
  const globs = rule.paths;
  if (globs === undefined) return true;
  if (request.paths.length === 0) return false;
  return request.paths.every((named) => globs.some((glob) => allowsPath(glob, named, options)));
}

function allowsPath(glob: string, named: string, { workingDirectory }: EvaluatePermissionOptions): boolean {
  const pattern = withoutDotSlash(glob);
  if (path.isAbsolute(pattern)) {
    return matchesGlob(pattern, withSlashes(path.resolve(workingDirectory, named)), { kind: "path" });
  }
  const relative = relativeTo(workingDirectory, named);
  if (isOutside(relative) && !isOutside(pattern)) return false;
  // `../*` must not match `../../x`: no wildcard may stand for a step upwards.
  if (countSteps(relative) !== countSteps(pattern)) return false;
  return matchesGlob(pattern, relative, { kind: "path" });
}

function relativeTo(workingDirectory: string, named: string): string {
  return withSlashes(path.relative(workingDirectory, path.resolve(workingDirectory, named))) || ".";
}

function isOutside(relative: string): boolean {
  return relative === ".." || relative.startsWith("../") || path.isAbsolute(relative);
}

function countSteps(relative: string): number {
  return /^(?:\.\.(?:\/|$))*/.exec(relative)?.[0].split("..").length ?? 1;
}

function withSlashes(text: string): string {
  return path.sep === "/" ? text : text.replaceAll(path.sep, "/");
}

function withoutDotSlash(glob: string): string {
  return glob.startsWith("./") ? glob.slice(2) : glob;
}
