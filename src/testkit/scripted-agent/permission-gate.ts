import {
  messageOf,
  type PermissionEffect,
  type PermissionHandler,
  type PermissionMemory,
  type PermissionPolicy,
  type PermissionRequest,
} from "../../contracts/index.ts";
import { raceAbort } from "./race-abort.ts";

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
    const effect = await this.options.evaluate(this.options.policy, request);
    if (effect !== "ask") return effect;
    if (this.#allowedForSession.has(keyOf(request))) return "allow";
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
      if (decision.scope === "session" || decision.scope === "project") this.#allowedForSession.add(keyOf(request));
      if (decision.scope === "project") await memory?.allow(request);
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
