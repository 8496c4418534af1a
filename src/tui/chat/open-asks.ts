import {
  type AgentQuestionHandler,
  type PermissionDecision,
  type PermissionHandler,
  type PermissionRequest,
  permissionKey,
  withResolvers,
} from "../../contracts/index.ts";
import type { OpenAsk } from "./chat-state.ts";

/** What {@link OpenAsks} needs. */
export interface OpenAsksOptions {
  readonly now: () => number;
  /** Called with all open asks, the oldest first, after each change. */
  readonly onChange: (asks: readonly OpenAsk[]) => void;
}

interface OpenPermission {
  readonly ask: OpenAsk;
  readonly decision: Promise<PermissionDecision>;
}

/** What the agents wait for a person to decide. Equal permission requests that wait together are one ask. */
export class OpenAsks {
  readonly #asks = new Map<string, OpenAsk>();
  readonly #permissions = new Map<string, OpenPermission>();
  readonly #options: OpenAsksOptions;
  #count = 0;

  constructor(options: OpenAsksOptions) {
    this.#options = options;
  }

  readonly onPermissionAsk: PermissionHandler = async (request, { signal }) => {
    if (signal.aborted) return WITHDRAWN;
    const key = permissionKey(request);
    const open = this.#permissions.get(key);
    if (open === undefined || request.isOnce === true) return await this.#askPermission(request, key, signal);
    const decision = await raceWithdrawal(open.decision, signal);
    // The first request may have been withdrawn: this one still needs an answer.
    if (decision === WITHDRAWN && !signal.aborted) return await this.onPermissionAsk(request, { signal });
    return decision;
  };

  readonly onQuestion: AgentQuestionHandler = async (question, { signal }) => {
    const { promise, resolve } = withResolvers<Awaited<ReturnType<AgentQuestionHandler>>>();
    const id = this.#nextId();
    const withdraw = (): void => resolve({ type: "decline", reason: "The question was withdrawn." });
    signal.addEventListener("abort", withdraw, { once: true });
    if (signal.aborted) withdraw();
    else this.#open({ type: "question", id, at: this.#options.now(), question, answer: resolve });
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", withdraw);
      this.#close(id);
    }
  };

  async #askPermission(request: PermissionRequest, key: string, signal: AbortSignal): Promise<PermissionDecision> {
    const { promise, resolve } = withResolvers<PermissionDecision>();
    const id = this.#nextId();
    const withdraw = (): void => resolve(WITHDRAWN);
    signal.addEventListener("abort", withdraw, { once: true });
    const ask: OpenAsk = { type: "permission", id, at: this.#options.now(), request, answer: resolve };
    if (request.isOnce !== true) this.#permissions.set(key, { ask, decision: promise });
    this.#open(ask);
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", withdraw);
      if (this.#permissions.get(key)?.ask === ask) this.#permissions.delete(key);
      this.#close(id);
    }
  }

  #nextId(): string {
    this.#count += 1;
    return `ask${this.#count}`;
  }

  #open(ask: OpenAsk): void {
    this.#asks.set(ask.id, ask);
    this.#options.onChange([...this.#asks.values()]);
  }

  #close(id: string): void {
    if (this.#asks.delete(id)) this.#options.onChange([...this.#asks.values()]);
  }
}

const WITHDRAWN: PermissionDecision = { type: "deny", reason: "The request was withdrawn." };

function raceWithdrawal(decision: Promise<PermissionDecision>, signal: AbortSignal): Promise<PermissionDecision> {
  const { promise, resolve } = withResolvers<PermissionDecision>();
  const withdraw = (): void => resolve(WITHDRAWN);
  signal.addEventListener("abort", withdraw, { once: true });
  return Promise.race([decision, promise]).finally(() => signal.removeEventListener("abort", withdraw));
}
