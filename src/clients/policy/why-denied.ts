import type { PermissionPolicy, PermissionRequest } from "../../contracts/index.ts";
import { describeDenial } from "./describe-denial.ts";
import { withRealNames } from "./files/real-names.ts";
import { evaluatePermission } from "./rules/evaluate-permission.ts";
import { whyUnclear } from "./why-unclear.ts";

/** Settings of {@link whyDenied}. */
export interface WhyDeniedOptions {
  readonly policy: PermissionPolicy;
  /** The absolute folder that the policy's relative globs start from. */
  readonly workingDirectory: string;
}

/**
 * Why a policy denies a call, even one that somebody would approve; `undefined` where it allows the call or requires
 * approval. For what is not an agent's call, and so cannot go through the `PermissionGate`.
 */
export async function whyDenied(
  asked: PermissionRequest,
  { policy, workingDirectory }: WhyDeniedOptions,
): Promise<string | undefined> {
  const unclear = await whyUnclear(asked, { workingDirectory });
  if (unclear !== undefined) return unclear;
  const request = await withRealNames(asked, { workingDirectory });
  const evaluation = evaluatePermission(policy, request, { workingDirectory });
  if (evaluation.effect !== "deny") return undefined;
  return describeDenial({ policy, request, evaluation, isComplete: true, workingDirectory });
}
