import { basename, relative, sep } from "node:path";
import type { PermissionPolicy } from "../../contracts/index.ts";
import { realPathOf } from "../../discovery/index.ts";
import { type PermissionFlags, parseRule } from "./permission-flags.ts";

/** Where a policy holds. */
export interface PolicyPlace {
  /** The user's own Atomic folder. */
  readonly atomicHome: string;
  /** Where agents work. */
  readonly workingDirectory: string;
}

/** What a policy is made of. */
export interface PolicySources extends PolicyPlace {
  /** The settings' policy, or that of a run that goes on. */
  readonly configured: PermissionPolicy | undefined;
  readonly flags: PermissionFlags;
}

/**
 * The policy of a call: the settings' rules and the flags', and Atomic's own folder protected. Every agent is started with
 * what this returns, and `atomic permissions` shows it. Without settings and flags there is no rule, and everything requires
 * approval but what clients allow whenever no rule denies it: reading inside the project, except files like `.env`. `--yolo`
 * leaves nothing to ask; what is denied stays so.
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
 * The built-in list protects `.atomic`; a home of another name (`ATOMIC_HOME`) holds the same: who is trusted, what was
 * allowed for good, the settings. Patterns are compared with paths from the working directory, or without the first slash.
 */
function atomicHomePatterns({ atomicHome, workingDirectory }: PolicyPlace): readonly string[] {
  const homes = [...new Set([atomicHome, realPathOf(atomicHome)])].filter((home) => basename(home) !== ".atomic");
  return homes.flatMap((home) => {
    const inside = relative(workingDirectory, home).split(sep).join("/");
    const absolute = home.split(sep).join("/").replace(/^\//, "");
    return (inside === "" || inside.startsWith("../") ? [absolute] : [inside, absolute]).map(literally);
  });
}

/** A glob that matches a name whose characters could be read as wildcards. */
function literally(name: string): string {
  return name.replace(/[*?{},]/g, "?");
}
