import {
  messageOf,
  type PermissionEffect,
  type PermissionHandler,
  type PermissionPolicy,
  type PermissionRequest,
} from "../../contracts/index.ts";
import { raceAbort } from "./race-abort.ts";

/** What became of a request. */
export type PermissionOutcome = { readonly isAllowed: true } | { readonly isAllowed: false; readonly reason: string };

/** What a decision depends on. */
export interface PermissionGateOptions {
  readonly policy: PermissionPolicy;
  readonly evaluate: (policy: PermissionPolicy, request: PermissionRequest) => PermissionEffect;
  /** Asks a person; without it, what would be asked is denied. */
  readonly onAsk?: PermissionHandler;
}

/** Decides about the tool calls of one session and remembers what was allowed for the whole of it. */
export class PermissionGate {
  readonly #allowedForSession = new Set<string>();

  constructor(readonly options: PermissionGateOptions) {}

  /** What the policy says, or `allow` when a person has allowed the very same call for the session. */
  evaluate(request: PermissionRequest): PermissionEffect {
    const effect = this.options.evaluate(this.options.policy, request);
    return effect === "ask" && this.#allowedForSession.has(keyOf(request)) ? "allow" : effect;
  }

  /** Asks a person. A handler that fails denies. Rejects only when the signal is aborted. */
  async ask(request: PermissionRequest, signal: AbortSignal): Promise<PermissionOutcome> {
    const { onAsk } = this.options;
    if (onAsk === undefined) {
      return { isAllowed: false, reason: "The policy asks a person, and nobody is there to answer." };
    }
    try {
      const decision = await raceAbort(onAsk(request, { signal }), signal);
      if (decision.type === "deny") return { isAllowed: false, reason: decision.reason };
      if (decision.scope === "session") this.#allowedForSession.add(keyOf(request));
      return { isAllowed: true };
    } catch (error) {
      signal.throwIfAborted();
      return { isAllowed: false, reason: `Asking for permission failed: ${messageOf(error)}` };
    }
  }
}

function keyOf({ kind, toolName, paths, command }: PermissionRequest): string {
  return JSON.stringify([kind, toolName, paths, command]);
}
