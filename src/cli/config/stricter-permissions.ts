import { isDeepStrictEqual } from "node:util";
import type { PermissionPolicy, PermissionRule } from "../../contracts/index.ts";
import { stricterEffect } from "./config.ts";

/**
 * A policy that allows no more than either of two. It has the allow rules that both have, and the ask and deny rules of
 * either. A rule that was removed since, or one of a project that is no longer trusted, allows nothing. Pure.
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
