import { type AgentTurn, PermissionGate } from "../../clients/agent-kit.ts";
import {
  type PermissionDecision,
  type PermissionPolicy,
  type PermissionRequest,
  PLAN_MODE_RULE,
  type SessionConfig,
} from "../../contracts/index.ts";
import type { ScriptedAgentOptions } from "./scripted-turn.ts";

/** Options of {@link ScriptedPermissions}. */
export interface ScriptedPermissionsOptions {
  readonly config: Pick<SessionConfig, "permissions" | "onPermissionAsk" | "permissionMemory">;
  /** The absolute folder that the policy's relative globs start from. */
  readonly workingDirectory: string;
  readonly evaluate: ScriptedAgentOptions["evaluatePermission"];
}

/** Decides about the actions of one session: by its policy as real agents do, or by an evaluator instead. */
export class ScriptedPermissions {
  readonly #policy: PermissionPolicy;
  readonly #evaluate: ScriptedAgentOptions["evaluatePermission"];
  /** Decides by the session's policy. */
  readonly #gate: PermissionGate;
  /** Decides where an evaluator says `ask`. */
  readonly #askingGate: PermissionGate;

  constructor({ config, workingDirectory, evaluate }: ScriptedPermissionsOptions) {
    this.#policy = config.permissions ?? { rules: [] };
    this.#evaluate = evaluate;
    this.#gate = new PermissionGate({ config, workingDirectory });
    const permissions: PermissionPolicy = { rules: [{ effect: "ask" }] };
    this.#askingGate = new PermissionGate({ config: { ...config, permissions }, workingDirectory });
  }

  /** Decides about a request, and publishes a denial. Rejects with the reason of an aborted turn. */
  async decide(request: PermissionRequest, turn: AgentTurn): Promise<PermissionDecision> {
    if (this.#evaluate === "policy" || this.#isChangeInPlanMode(request)) return this.#gate.decide(request, { turn });
    const unlisted = this.denyUnlisted(request, turn);
    if (unlisted !== undefined) return unlisted;
    const effect = (await this.#evaluate?.(this.#policy, request)) ?? "allow";
    if (effect === "allow") return { type: "allow" };
    if (effect === "ask") return this.#askingGate.decide(request, { turn });
    const { sessionId, toolName, kind, title } = request;
    const reason = "The policy of the session denies it.";
    turn.publish({ type: "permission-denied", sessionId, denied: { toolName, kind, title, reason } });
    return { type: "deny", reason };
  }

  /** Denies a call whose tool a rule's `exceptTools` does not spare, whatever the evaluator says. */
  denyUnlisted(request: PermissionRequest, turn: AgentTurn): PermissionDecision | undefined {
    const reason = this.#gate.denyUnlisted(request, { turn });
    return reason === undefined ? undefined : { type: "deny", reason };
  }

  /** Plan mode applies to every evaluator. */
  #isChangeInPlanMode({ kind }: PermissionRequest): boolean {
    return this.#policy.rules.includes(PLAN_MODE_RULE) && PLAN_MODE_RULE.tools?.includes(kind) === true;
  }
}
