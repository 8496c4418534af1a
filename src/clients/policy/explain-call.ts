import type { PermissionRequest } from "../../contracts/index.ts";
import { withRealNames } from "./files/real-names.ts";
import { evaluatePermission } from "./rules/evaluate-permission.ts";
import { explainPermission, type PermissionExplanation } from "./rules/explain-permission.ts";
import { type SearchReachOptions, withSearchReach } from "./search-reach.ts";
import { whyUnclear } from "./why-unclear.ts";

/** How a run decides about a call, and why. */
export interface CallExplanation extends PermissionExplanation {
  /** The call that is evaluated: with the targets of its links, and the files that its search would read. */
  readonly request: PermissionRequest;
  /** Whether an approval applies to this call only: earlier permanent approvals do not count. */
  readonly isOnce: boolean;
  /** Files that a search would read although the policy does not allow that. Empty where the search skips them. */
  readonly reached: readonly string[];
  /** File names that the search skips, as globs of base names. */
  readonly leftOut: readonly string[];
  /** False when a search reaches more files than Atomic checks. */
  readonly isComplete: boolean;
}

/**
 * Evaluates a call as `PermissionGate` does before it asks a person, and explains the result. Reads the folders of a
 * search. Ignores permanent approvals.
 */
export async function explainCall(asked: PermissionRequest, options: SearchReachOptions): Promise<CallExplanation> {
  const { policy, workingDirectory } = options;
  const unclear = await whyUnclear(asked, { workingDirectory });
  if (unclear !== undefined) return explainUnclear(asked, unclear);
  const named = await withRealNames(asked, options);
  const { request, exclude = [], isComplete } = await withSearchReach(named, options);
  const explained = explainPermission(policy, request, { workingDirectory });
  const { obstacle } = evaluatePermission(policy, request, { workingDirectory });
  const explanation = {
    ...{ ...explained, request, isComplete, leftOut: exclude },
    isOnce: asked.isOnce === true || obstacle !== undefined || !isComplete,
    reached: request.paths.slice(named.paths.length),
  };
  if (isComplete || explained.effect !== "allow") return explanation;
  const { rule: _outweighed, ...rest } = explanation;
  const reason = "The search reaches more files than are checked, so it requires approval.";
  return { ...rest, effect: "ask", reason };
}

/** No rule was compared. */
function explainUnclear(request: PermissionRequest, reason: string): CallExplanation {
  const nothing = { rules: [], commands: [], obstacles: [], reached: [], leftOut: [] };
  return { ...nothing, effect: "deny", reason, request, isOnce: false, isComplete: false };
}
