import type { PermissionPolicy } from "../../../contracts/index.ts";

/**
 * A node's own policy, with what the run's denies: the user's `--deny` and protected files hold wherever a workflow allows
 * more. Pure.
 */
export function keepDenials(own: PermissionPolicy, ofRun: PermissionPolicy | undefined): PermissionPolicy {
  if (ofRun === undefined) return own;
  const denials = ofRun.rules.filter(({ effect }) => effect === "deny");
  const protectedPaths = [...new Set([...(own.protectedPaths ?? []), ...(ofRun.protectedPaths ?? [])])];
  return {
    ...own,
    rules: [...own.rules, ...denials],
    ...(protectedPaths.length === 0 ? {} : { protectedPaths }),
  };
}
