import type { PermissionRequest } from "../../contracts/index.ts";
import { withRealNames } from "./files/real-names.ts";
import { evaluatePermission } from "./rules/evaluate-permission.ts";
import { explainPermission, type PermissionExplanation } from "./rules/explain-permission.ts";
import { type SearchReachOptions, withSearchReach } from "./search-reach.ts";
import { whyUnclear } from "./why-unclear.ts";

/** What becomes of a call in a run, and why. */
export interface CallExplanation extends PermissionExplanation {
  /** The call as it is judged: with the files that its links lead to, and those that its search would read. */
  readonly request: PermissionRequest;
  /** Whether a yes holds for this call only: what was allowed for good earlier does not count. */
  readonly isOnce: boolean;
  /** Files that a search would read although the policy does not simply allow that. Empty where they are left out. */
  readonly reached: readonly string[];
  /** File names that the search leaves out, as globs of base names. */
  readonly leftOut: readonly string[];
  /** False when a search reaches more files than are checked. */
  readonly isComplete: boolean;
}

/**
 * Judges a call as `PermissionGate` does before anybody is asked, and says why. Reads the folders of a search. What was
 * allowed for good is not considered.
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

/** No rule was looked at. */
function explainUnclear(request: PermissionRequest, reason: string): CallExplanation {
  const nothing = { rules: [], commands: [], obstacles: [], reached: [], leftOut: [] };
  return { ...nothing, effect: "deny", reason, request, isOnce: false, isComplete: false };
}
