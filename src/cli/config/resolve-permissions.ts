import { basename, relative, sep } from "node:path";
import type { PermissionPolicy } from "../../contracts/index.ts";
import { realPathOf } from "../../discovery/trust-kit.ts";
import { type PermissionFlags, parseRule } from "./permission-flags.ts";

/** The folders that a policy depends on. */
export interface PolicyPlace {
  /** The user's own Atomic folder. */
  readonly atomicHome: string;
  /** The folder in which agents work. */
  readonly workingDirectory: string;
}

/** The sources of a policy. */
export interface PolicySources extends PolicyPlace {
  /** The policy of the settings, or of a resumed run. */
  readonly configured: PermissionPolicy | undefined;
  readonly flags: PermissionFlags;
}

/**
 * Resolves the policy of a call: the rules of the settings and the flags, with Atomic's own folder protected. Every agent
 * is started with this policy, and `atomic permissions` shows it. Without settings and flags it has no rules, and every call
 * requires approval except those that clients allow unless a rule denies them: reading inside the project, except files
 * such as `.env`. `--yolo` allows all calls that would require approval; denied calls stay denied.
 *
 * @throws UsageError
 */
export function resolvePermissions({ configured, flags, ...place }: PolicySources): PermissionPolicy {
  const configuredRules = configured?.rules ?? [];
  const rules = [
    ...(flags.isYolo ? configuredRules.filter(({ effect }) => effect !== "ask") : configuredRules),
    ...flags.allow.map((text) => parseRule("allow", text)),
    ...flags.deny.map((text) => parseRule("deny", text)),
  ];
  const protectedPaths = [...new Set([...(configured?.protectedPaths ?? []), ...atomicHomePatterns(place)])];
  return {
    rules,
    otherwise: flags.isYolo ? "allow" : (configured?.otherwise ?? "ask"),
    ...(protectedPaths.length === 0 ? {} : { protectedPaths }),
  };
}

/**
 * The built-in list protects `.atomic`. A home of another name (`ATOMIC_HOME`) contains the same files: the settings, the
 * trusted projects and the remembered permissions. Patterns match paths relative to the working directory, or absolute
 * paths without the first slash.
 */
function atomicHomePatterns({ atomicHome, workingDirectory }: PolicyPlace): readonly string[] {
  const homes = [...new Set([atomicHome, realPathOf(atomicHome)])].filter((home) => basename(home) !== ".atomic");
  return homes.flatMap((home) => {
    const inside = relative(workingDirectory, home).split(sep).join("/");
    const absolute = home.split(sep).join("/").replace(/^\//, "");
    return (inside === "" || inside.startsWith("../") ? [absolute] : [inside, absolute]).map(literally);
  });
}

/** A glob that matches a name literally: its wildcards become `?`. */
function literally(name: string): string {
  return name.replace(/[*?{},]/g, "?");
}
