import type { PermissionRule } from "../../../contracts/index.ts";

/** What is wrong with one pattern of a rule, and what its author most likely means. */
export interface RuleAdvice {
  readonly pattern: string;
  /** A clause about the pattern, such as `matches no file below the folder`. */
  readonly problem: string;
  /** Patterns that together express what is meant; empty if that is unclear. */
  readonly instead: readonly string[];
}

/** Settings of {@link adviseOnRule}. */
export interface AdviseOnRuleOptions {
  /** Whether a path from a rule, absolute or relative to the working directory, is a folder on disk. */
  readonly isFolder: (path: string) => boolean;
}

/**
 * Finds patterns that certainly do not mean what the author of a rule thinks. A rule without advice may still be wrong.
 * Pure, except for `isFolder`.
 *
 * ```ts
 * adviseOnRule({ effect: "allow", tools: ["edit"], paths: ["src"] }, { isFolder: () => true });
 * // [{ pattern: "src", problem: "matches no file below the folder", instead: ["src/**"] }]
 * ```
 */
export function adviseOnRule(
  { effect, paths = [], commands = [] }: PermissionRule,
  { isFolder }: AdviseOnRuleOptions,
): readonly RuleAdvice[] {
  return [
    ...paths.flatMap((pattern) => adviseOnPath(pattern, isFolder)),
    ...commands.flatMap((pattern) => (effect === "allow" ? adviseOnAllowed(pattern) : adviseOnForbidden(pattern))),
  ];
}

function adviseOnPath(pattern: string, isFolder: AdviseOnRuleOptions["isFolder"]): readonly RuleAdvice[] {
  if (/^~(?:\/|$)/.test(pattern)) {
    return [{ pattern, problem: "matches nothing, because ~ is not expanded: write the path in full", instead: [] }];
  }
  if (/[*?{]/.test(pattern)) return [];
  const folder = pattern.replace(/\/+$/, "");
  const below = folder === "." || pattern === "./" ? "**" : `${folder}/**`;
  if (folder !== pattern)
    return [{ pattern, problem: "matches no file, because it ends with a slash", instead: [below] }];
  return isFolder(pattern) ? [{ pattern, problem: "matches no file below the folder", instead: [below] }] : [];
}

/** `npm test*` also allows `npm testx`. */
function adviseOnAllowed(pattern: string): readonly RuleAdvice[] {
  const words = /^([^*?]*[\w-])\*$/.exec(pattern)?.[1];
  if (words === undefined) return [];
  return [
    {
      pattern,
      problem: `also matches commands that continue within the word, such as "${words}x"`,
      instead: [words, `${words} *`],
    },
  ];
}

/** `rm` matches only `rm` without arguments. */
function adviseOnForbidden(pattern: string): readonly RuleAdvice[] {
  if (/[\s*?]/.test(pattern) || pattern === "") return [];
  return [{ pattern, problem: "matches the command only without arguments", instead: [pattern, `${pattern} *`] }];
}
