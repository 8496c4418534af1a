import {
  messageOf,
  type PermissionEffect,
  type PermissionHandler,
  type PermissionMemory,
  type PermissionPolicy,
  type PermissionRequest,
  PLAN_MODE_RULE,
  permissionKey,
  raceAbort,
} from "../../contracts/index.ts";

/** What became of a request. */
export type PermissionOutcome = { readonly isAllowed: true } | { readonly isAllowed: false; readonly reason: string };

/** What a decision depends on. */
export interface PermissionGateOptions {
  readonly policy: PermissionPolicy;
  readonly evaluate: (
    policy: PermissionPolicy,
    request: PermissionRequest,
  ) => PermissionEffect | Promise<PermissionEffect>;
  /** Asks a person; without it, what would be asked is denied. */
  readonly onAsk?: PermissionHandler;
  /** Where "always" is kept. @default it holds for the session */
  readonly memory?: PermissionMemory;
}

/** Decides about the tool calls of one session and remembers what was allowed for the whole of it. */
export class PermissionGate {
  readonly #allowedForSession = new Set<string>();

  constructor(readonly options: PermissionGateOptions) {}

  /** Whether somebody is there to ask. */
  get hasPerson(): boolean {
    return this.options.onAsk !== undefined;
  }

  /** What the policy says, or `allow` when a person has allowed the very same call for the session or for good. */
  async evaluate(request: PermissionRequest): Promise<PermissionEffect> {
    const { policy } = this.options;
    // Also where the agent was made without anything that evaluates policies.
    if (policy.rules.includes(PLAN_MODE_RULE) && PLAN_MODE_RULE.tools?.includes(request.kind)) return "deny";
    const effect = await this.options.evaluate(policy, request);
    if (effect !== "ask") return effect;
    if (this.#allowedForSession.has(permissionKey(request))) return "allow";
    return (await this.options.memory?.isAllowed(request)) ? "allow" : "ask";
  }

  /** Asks a person. A handler that fails denies. Rejects only when the signal is aborted. */
  async ask(request: PermissionRequest, signal: AbortSignal): Promise<PermissionOutcome> {
    const { onAsk, memory } = this.options;
    if (onAsk === undefined) {
      return { isAllowed: false, reason: "The policy asks a person, and nobody is there to answer." };
    }
    try {
      const decision = await raceAbort(onAsk(request, { signal }), signal);
      if (decision.type === "deny") return { isAllowed: false, reason: decision.reason };
      if (decision.scope === "project") await memory?.allow(request);
      if (decision.scope === "session" || decision.scope === "project") {
        this.#allowedForSession.add(permissionKey(request));
      }
      return { isAllowed: true };
    } catch (error) {
      signal.throwIfAborted();
      return { isAllowed: false, reason: `Asking for permission failed: ${messageOf(error)}` };
    }
  }
}
