import { expandBraces, type PermissionPolicy, type PermissionRule } from "../../../contracts/index.ts";

/** The project's folder, and its copy in the worktree of a session. */
export interface MirroredFolder {
  readonly from: string;
  readonly to: string;
  /** The session's own folder, from which relative globs start. */
  readonly workingDirectory: string;
}

/**
 * A policy for a session in a worktree: what a rule says about a file of the project, by whatever path, it says about that
 * file in the worktree, too. Files outside the project stay the same ones. Pure.
 */
export function mirrorPaths(policy: PermissionPolicy, folder: MirroredFolder): PermissionPolicy {
  return { ...policy, rules: policy.rules.map((rule) => mirrorRule(rule, folder)) };
}

function mirrorRule(rule: PermissionRule, folder: MirroredFolder): PermissionRule {
  if (rule.paths === undefined) return rule;
  const ignoreCase = rule.effect !== "allow";
  const added = rule.paths.flatMap(expandBraces).flatMap((glob) => mirrorGlob(glob, folder, { ignoreCase }));
  return { ...rule, paths: [...new Set([...rule.paths, ...added])] };
}

interface Comparison {
  readonly ignoreCase: boolean;
}

/** For a glob without braces. */
function mirrorGlob(glob: string, folder: MirroredFolder, comparison: Comparison): readonly string[] {
  const { from, to, workingDirectory } = folder;
  if (glob.startsWith("/")) {
    const parts = glob.slice(1).split("/").flatMap(splitSpans);
    return restsBelow(parts, from.split("/").filter(Boolean), comparison).map((rest) => [to, ...rest].join("/"));
  }
  const relative = glob.replace(/^\.\//, "");
  if (relative.startsWith("../")) return [climb(from, relative)];
  return workingDirectory === to || relative.startsWith("**") ? [] : [`${to}/${relative}`];
}

/** The parts of a part in which `**` spans folders: `a**b` matches all that `a*`, any folders, and `*b` match. */
function splitSpans(part: string): readonly string[] {
  const pieces = part.split("**");
  if (part === "**" || pieces.length === 1) return [part];
  return pieces.flatMap((piece, index) => [
    ...(index === 0 ? [] : ["**"]),
    ...(piece === "" ? [] : [`${index === 0 ? "" : "*"}${piece}${index === pieces.length - 1 ? "" : "*"}`]),
  ]);
}

/** What is left of a glob's parts below a folder: each way in which its first parts match the folder's. */
function restsBelow(
  parts: readonly string[],
  folders: readonly string[],
  comparison: Comparison,
): readonly (readonly string[])[] {
  const [part, ...others] = parts;
  const [name, ...below] = folders;
  if (name === undefined) return [parts];
  if (part === undefined) return [];
  if (part === "**") return [...restsBelow(others, folders, comparison), ...restsBelow(parts, below, comparison)];
  return matchesName(part, name, comparison) ? restsBelow(others, below, comparison) : [];
}

function matchesName(part: string, name: string, { ignoreCase }: Comparison): boolean {
  const source = part.replace(/[^*?]/g, (character) => character.replace(/[\\^$.|+()[\]{}]/, "\\$&"));
  const pattern = source.replaceAll("*", ".*").replaceAll("?", ".");
  return new RegExp(`^${pattern}$`, ignoreCase ? "isu" : "su").test(name);
}

/** An absolute glob for one that begins with `../`. */
function climb(folder: string, relative: string): string {
  return relative.startsWith("../")
    ? climb(folder.slice(0, Math.max(0, folder.lastIndexOf("/"))), relative.slice(3))
    : `${folder}/${relative}`;
}
