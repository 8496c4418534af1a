import { isDeepStrictEqual } from "node:util";
import type { PermissionPolicy, PermissionRule } from "../../contracts/index.ts";
import { stricterEffect } from "./config.ts";

/**
 * A policy that allows no more than either of two. A rule that allows counts where both have it, one that forbids or asks
 * where either has it, so whatever allowed a call and is gone, allows nothing: a rule that was removed, a project that is
 * no longer trusted. Pure.
 *
 * ```ts
 * stricterPermissions({ rules: [{ effect: "allow", tools: ["shell"] }], otherwise: "allow" }, { rules: [] });
 * // { rules: [], otherwise: "ask" }
 * ```
 */
export function stricterPermissions(one: PermissionPolicy, other: PermissionPolicy): PermissionPolicy {
  const isIn = (rule: PermissionRule, { rules }: PermissionPolicy): boolean =>
    rules.some((known) => isDeepStrictEqual(known, rule));
  const protectedPaths = [...new Set([one, other].flatMap((policy) => policy.protectedPaths ?? []))];
  return {
    rules: [
      ...one.rules.filter((rule) => rule.effect !== "allow" || isIn(rule, other)),
      ...other.rules.filter((rule) => rule.effect !== "allow" && !isIn(rule, one)),
    ],
    otherwise: stricterEffect(one.otherwise ?? "ask", other.otherwise ?? "ask"),
    ...(protectedPaths.length === 0 ? {} : { protectedPaths }),
  };
}
