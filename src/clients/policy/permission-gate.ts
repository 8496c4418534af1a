import {
  messageOf,
  type PermissionDecision,
  type PermissionPolicy,
  type PermissionRequest,
  permissionKey,
  permissionSubject,
  type SessionConfig,
} from "../../contracts/index.ts";
import type { AgentTurn } from "../turn/agent-turn.ts";
import { type Denial, publishDenial } from "../turn/publish-denial.ts";
import { describeDenial, describeObstacle } from "./describe-denial.ts";
import { withRealNames } from "./files/real-names.ts";
import { evaluatePermission, isOrdinaryReading } from "./rules/evaluate-permission.ts";
import { proposeRule } from "./rules/propose-rule.ts";
import { type ReachedSearch, withSearchReach } from "./search-reach.ts";
import { whyUnclear } from "./why-unclear.ts";

/** What the decisions of a session depend on. */
export interface PermissionGateOptions {
  readonly config: Pick<SessionConfig, "permissions" | "onPermissionAsk" | "permissionMemory">;
  /** The absolute folder that the policy's relative globs start from. */
  readonly workingDirectory: string;
}

/** A decision. A denial that no person made also has what the reply lists about it. */
type GateDecision = PermissionDecision & Omit<Denial, "reason">;

const NO_RULES: PermissionPolicy = { rules: [] };

/** Where a request comes from. */
export interface PermissionOrigin {
  readonly turn: AgentTurn;
  /** The tool call of this request, where a vendor asks several times about one call for different reasons. */
  readonly callId?: string;
  /** Aborted when the vendor withdraws the request. */
  readonly until?: AbortSignal;
  /** Why no person can approve here. The denial says this in place of the question. */
  readonly unaskedBecause?: string;
}

/**
 * Decides about the tool calls of one session, alike for all vendors, and remembers what a person allowed.
 *
 * 1. Nothing overrides a policy's `deny`. What a person allowed for the session or the project applies only where the
 *    policy says `ask`.
 * 2. Where no rule matches, reading inside the working directory requires no approval (`isOrdinaryReading`).
 * 3. If nobody can approve, the decision is `deny`. Every denial is published, so that the reply lists it.
 * 4. The vendor's own "always" is never used: it may apply to more than the request.
 * 5. Any failure on the way to an answer, including one of the memory, counts as a denial.
 * 6. A file is evaluated by the name in the call and by its real name (`withRealNames`).
 * 7. A search is evaluated by what it would read (`withSearchReach`): the client excludes files that it may not read, where
 *    it can; otherwise the search requires the permission to read them.
 *    A change of a protected file, and a search that was not checked to its end, are never remembered.
 * 8. A list of tools (`exceptTools`) also applies to tools that need no approval (`denyUnlisted`).
 * 9. What cannot be evaluated, such as a path in `/proc/self` or too many paths, is denied (`whyUnclear`): an approval could
 *    override a rule that denies one of them.
 */
export class PermissionGate {
  readonly #options: PermissionGateOptions;
  readonly #allowedForSession = new Set<string>();
  /** What was allowed once, until its turn ends. */
  readonly #allowedCalls = new WeakMap<AgentTurn, Set<string>>();

  constructor(options: PermissionGateOptions) {
    this.#options = options;
  }

  /** Decides about a request. Rejects only with the reason of a stopped turn or a withdrawn request. */
  async decide(asked: PermissionRequest, origin: PermissionOrigin): Promise<PermissionDecision> {
    const { config, workingDirectory } = this.#options;
    const { permissions: policy = NO_RULES } = config;
    const unclear = await whyUnclear(asked, this.#options);
    const named = unclear === undefined ? await withRealNames(asked, this.#options) : asked;
    const reached =
      unclear === undefined
        ? await withSearchReach(named, { policy, workingDirectory })
        : { request: asked, isComplete: false };
    const decision: GateDecision =
      unclear === undefined ? await this.#decide(reached, origin) : { type: "deny", reason: unclear };
    if (decision.type === "deny") {
      publishDenial(origin.turn, reached.request, decision);
      return { type: "deny", reason: decision.reason };
    }
    return decision;
  }

  /**
   * Why a call that needs no approval is denied: a rule with `exceptTools` does not spare its tool. Undefined if none does.
   * Other rules are not about such calls.
   */
  denyUnlisted(request: PermissionRequest, { turn }: Pick<PermissionOrigin, "turn">): string | undefined {
    const { config, workingDirectory } = this.#options;
    const all = config.permissions?.rules ?? [];
    const rules = all.filter(({ effect, exceptTools }) => effect === "deny" && exceptTools !== undefined);
    const policy: PermissionPolicy = { rules, otherwise: "allow" };
    const evaluation = evaluatePermission(policy, request, { workingDirectory });
    if (evaluation.effect !== "deny") return undefined;
    const reason = describeDenial({ policy, request, evaluation, isComplete: true, workingDirectory });
    publishDenial(turn, request, { reason });
    return reason;
  }

  async #decide(reached: ReachedSearch, origin: PermissionOrigin): Promise<GateDecision> {
    const { request, exclude, isComplete } = reached;
    const { config, workingDirectory } = this.#options;
    const { permissions: policy = NO_RULES } = config;
    const evaluation = evaluatePermission(policy, request, { workingDirectory });
    const { effect, rule, obstacle } = evaluation;
    const isOrdinary = rule === undefined && isOrdinaryReading(request, { workingDirectory });
    if ((effect === "allow" || isOrdinary) && isComplete) {
      return exclude === undefined ? { type: "allow" } : { type: "allow", exclude };
    }
    const deny = (): GateDecision => {
      const reason = describeDenial({ policy, request, evaluation, isComplete, workingDirectory });
      const allowedBy = proposeRule(policy, request, { workingDirectory });
      return { type: "deny", reason, ...(allowedBy === undefined ? {} : { allowedBy }) };
    };
    if (effect === "deny" && !isOrdinary) return deny();
    try {
      const isOnce = obstacle !== undefined || !isComplete;
      const kept: PermissionRequest = isOnce ? { ...request, isOnce } : request;
      if (await this.#isRemembered(kept, origin)) return { type: "allow" };
      const asked =
        obstacle === undefined
          ? request
          : { ...request, title: `${request.title} (${describeObstacle(obstacle, workingDirectory)})` };
      const decision = await this.#ask(isOnce ? { ...asked, isOnce } : asked, origin, deny);
      if (decision.type === "allow") await this.#remember(kept, decision, origin);
      return decision;
    } catch (error) {
      origin.turn.signal.throwIfAborted();
      origin.until?.throwIfAborted();
      return { type: "deny", reason: `Asking for permission failed: ${messageOf(error)}` };
    }
  }

  async #ask(request: PermissionRequest, origin: PermissionOrigin, deny: () => GateDecision): Promise<GateDecision> {
    const { turn, until, unaskedBecause } = origin;
    if (unaskedBecause !== undefined) return { type: "deny", reason: unaskedBecause };
    const { onPermissionAsk: handler } = this.#options.config;
    if (handler === undefined) return { ...deny(), isUnasked: true };
    turn.signal.throwIfAborted();
    turn.publish({ type: "permission-ask", sessionId: request.sessionId, request });
    const work = async (signal: AbortSignal) => handler(request, { signal });
    return turn.waitForPerson(work, until === undefined ? {} : { until });
  }

  async #isRemembered(request: PermissionRequest, { turn, callId }: PermissionOrigin): Promise<boolean> {
    if (callId !== undefined && this.#allowedCalls.get(turn)?.has(callKey(request, callId))) return true;
    if (request.isOnce === true) return false;
    if (this.#allowedForSession.has(permissionKey(request))) return true;
    return (await this.#options.config.permissionMemory?.isAllowed(request)) ?? false;
  }

  async #remember(
    request: PermissionRequest,
    { scope }: Extract<PermissionDecision, { readonly type: "allow" }>,
    { turn, callId }: PermissionOrigin,
  ): Promise<void> {
    if (callId !== undefined) {
      const calls = this.#allowedCalls.get(turn) ?? new Set();
      this.#allowedCalls.set(turn, calls.add(callKey(request, callId)));
    }
    if (request.isOnce === true) return;
    if (scope === "project") await this.#options.config.permissionMemory?.allow(request);
    if (scope === "session" || scope === "project") this.#allowedForSession.add(permissionKey(request));
  }
}

/** Identifies a call whatever its tool is called: a vendor that asks twice about one call may use two names. */
function callKey(request: PermissionRequest, callId: string): string {
  return JSON.stringify([callId, request.kind, permissionSubject(request)]);
}
