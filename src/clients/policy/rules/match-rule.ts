import path from "node:path";
import type { PermissionRequest, PermissionRule } from "../../../contracts/index.ts";
import type { CommandLine } from "../commands/command-line.ts";
import type { CommandRisk } from "../commands/command-risk.ts";
import { matchesGlob } from "./glob.ts";
import { coverTool } from "./tool-list.ts";

/** A text and the glob that matches it. */
export interface GlobMatch {
  readonly text: string;
  readonly glob: string;
}

/** How a rule relates to a request. */
export type RuleMatch =
  /** It matches because of these: one file and one command for a `deny` or `ask` rule, all files for an `allow` rule. */
  | { readonly type: "whole"; readonly files: readonly GlobMatch[]; readonly command?: GlobMatch }
  /** It allows only these commands of the line. */
  | { readonly type: "parts"; readonly parts: ReadonlySet<string>; readonly unspelled?: UnspelledCommand }
  | { readonly type: "none"; readonly because: RuleMiss };

/** A command that a glob of the rule matches, without spelling out what requires approval in it. */
export interface UnspelledCommand extends GlobMatch {
  /** The first part that the glob leaves to a wildcard. */
  readonly risk: CommandRisk;
  /** The offset up to which a glob must spell out the command. */
  readonly spelledOutTo: number;
}

/** Why a rule does not match. */
export type RuleMiss =
  | { readonly type: "other-kind" | "listed-tool" | "no-file-named" | "no-command" }
  /** For an `allow` rule, the first file that it does not cover. */
  | { readonly type: "files"; readonly file?: string }
  | { readonly type: "commands"; readonly unspelled?: UnspelledCommand }
  /** An `allow` rule, and a line that cannot be parsed. */
  | { readonly type: "opaque" };

/** What all rules of a policy are compared with. */
export interface MatchOptions {
  /** The absolute folder that relative globs and paths start from. */
  readonly workingDirectory: string;
  /** The request's command; an empty line where it has none. */
  readonly line: CommandLine;
}

/** Compares a rule with a request, as strictly as the rule's effect requires (`evaluatePermission`). Pure. */
export function matchRule(rule: PermissionRule, request: PermissionRequest, options: MatchOptions): RuleMatch {
  if (rule.tools !== undefined && !rule.tools.includes(request.kind)) return miss({ type: "other-kind" });
  if (rule.exceptTools !== undefined && isCovered(rule.exceptTools, request, options)) {
    return miss({ type: "listed-tool" });
  }
  if (rule.paths !== undefined && request.paths.length === 0) return miss({ type: "no-file-named" });
  if (rule.commands !== undefined && request.command === undefined) return miss({ type: "no-command" });
  return rule.effect === "allow" ? matchAllowing(rule, request, options) : matchRestricting(rule, request, options);
}

/** A path as globs are compared with it: relative to the working directory, `.` for the directory itself. */
export function relativeTo(workingDirectory: string, named: string): string {
  return withSlashes(path.relative(workingDirectory, path.resolve(workingDirectory, named))) || ".";
}

/** Whether a path from `relativeTo` is outside the working directory. */
export function isOutside(relative: string): boolean {
  return relative === ".." || relative.startsWith("../") || path.isAbsolute(relative);
}

function miss(because: RuleMiss): RuleMatch {
  return { type: "none", because };
}

/** Whether a list of tools covers a call, with all its files and commands. */
function isCovered(names: readonly string[], request: PermissionRequest, options: MatchOptions): boolean {
  const coverage = coverTool(names, request);
  if (coverage.type !== "some") return coverage.type === "all";
  const { within, outside } = coverage;
  if (outside.some((rule) => matchRule(rule, request, options).type === "whole")) return false;
  // A tool without a command, such as one that reads the output of a running one, runs none.
  if (within === undefined || (within.commands !== undefined && request.command === undefined)) return true;
  const match = matchRule(within, request, options);
  if (match.type !== "parts") return match.type === "whole";
  return options.line.split.parts.every((part) => match.parts.has(part));
}

/** One file and one command are enough. */
function matchRestricting(
  { paths, commands }: PermissionRule,
  request: PermissionRequest,
  options: MatchOptions,
): RuleMatch {
  const file = findMatch(request.paths, paths, (glob, text) => restrictsPath(glob, text, options));
  if (paths !== undefined && file === undefined) return miss({ type: "files" });
  const command = findRestricted(commands, options);
  if (commands !== undefined && command === undefined) return miss({ type: "commands" });
  return {
    type: "whole",
    files: file === undefined ? [] : [file],
    ...(command === undefined ? {} : { command }),
  };
}

/** All files and all commands must be covered. */
function matchAllowing(
  { paths, commands }: PermissionRule,
  { paths: named, command }: PermissionRequest,
  options: MatchOptions,
): RuleMatch {
  const files: GlobMatch[] = [];
  for (const text of paths === undefined ? [] : named) {
    const file = findMatch([text], paths, (glob) => allowsPath(glob, text, options));
    if (file === undefined) return miss({ type: "files", file: text });
    files.push(file);
  }
  if (commands === undefined || command === undefined) return { type: "whole", files };
  const whole = commands.find((glob) => glob === "*" || glob === command);
  if (whole !== undefined) return { type: "whole", files, command: { text: command, glob: whole } };
  if (options.line.split.isOpaque) return miss({ type: "opaque" });
  return matchCommands(commands, { files, ...options });
}

/** Compares the globs with each command of a parsed line. */
function matchCommands(
  globs: readonly string[],
  { files, line, workingDirectory }: MatchOptions & { readonly files: readonly GlobMatch[] },
): RuleMatch {
  const matches = line.commandsIn(workingDirectory).map((command) => ({
    command,
    glob: globs.find((glob) => line.allows(glob, command)),
  }));
  const [first] = matches;
  if (first?.glob !== undefined && matches.length === 1) {
    return { type: "whole", files, command: { text: first.command.text, glob: first.glob } };
  }
  const parts = new Set(matches.filter(({ glob }) => glob !== undefined).map(({ command }) => command.text));
  const unspelled = findUnspelled(globs, { line, workingDirectory });
  const details = unspelled === undefined ? {} : { unspelled };
  return parts.size > 0 ? { type: "parts", parts, ...details } : miss({ type: "commands", ...details });
}

/** The first command that a glob would allow if nothing in it required approval. */
function findUnspelled(
  globs: readonly string[],
  { line, workingDirectory }: MatchOptions,
): UnspelledCommand | undefined {
  for (const command of line.commandsIn(workingDirectory)) {
    if (command.risks.length === 0 || globs.some((glob) => line.allows(glob, command))) continue;
    const { text, risks } = command;
    const glob = globs.find((candidate) => line.allows(candidate, { text, risks: [] }));
    const [first] = risks;
    if (glob === undefined || first === undefined) continue;
    const risk = risks.find((one) => !line.allows(glob, { text, risks: [one] })) ?? first;
    return { text, glob, risk, spelledOutTo: Math.max(...risks.map(({ end }) => end)) };
  }
  return undefined;
}

function findRestricted(globs: readonly string[] | undefined, { line }: MatchOptions): GlobMatch | undefined {
  for (const glob of globs ?? []) {
    const text = line.findRestricted(glob);
    if (text !== undefined) return { text, glob };
  }
  return undefined;
}

function findMatch(
  texts: readonly string[],
  globs: readonly string[] | undefined,
  matches: (glob: string, text: string) => boolean,
): GlobMatch | undefined {
  for (const glob of globs ?? []) {
    const text = texts.find((candidate) => matches(glob, candidate));
    if (text !== undefined) return { text, glob };
  }
  return undefined;
}

function restrictsPath(glob: string, named: string, { workingDirectory }: MatchOptions): boolean {
  const relative = relativeTo(workingDirectory, named);
  const absolute = withSlashes(path.resolve(workingDirectory, named));
  const pattern = withoutDotSlash(glob);
  // The third form lets `**/.env` match files outside the working directory, too.
  return [relative, absolute, absolute.replace(/^\//, "")].some((text) =>
    matchesGlob(pattern, text, { kind: "path", ignoreCase: true }),
  );
}

/** Whether a glob of an allowing rule covers a file. Pure. */
export function allowsPath(
  glob: string,
  named: string,
  { workingDirectory }: Pick<MatchOptions, "workingDirectory">,
): boolean {
  const pattern = withoutDotSlash(glob);
  if (path.isAbsolute(pattern)) {
    return matchesGlob(pattern, withSlashes(path.resolve(workingDirectory, named)), { kind: "path" });
  }
  const relative = relativeTo(workingDirectory, named);
  if (isOutside(relative) && !isOutside(pattern)) return false;
  // `../*` must not match `../../x`: wildcards do not match a step upwards.
  if (countSteps(relative) !== countSteps(pattern)) return false;
  return matchesGlob(pattern, relative, { kind: "path" });
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
