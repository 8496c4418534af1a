import { AtomicError } from "../errors/atomic-error.ts";
import type { AgentEventBody } from "./agent-event.ts";
import type { SessionConfig } from "./session-config.ts";

/** A turn wanted more calls of the model than its session allows. */
export class MaxTurnsReachedError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly agentType: string,
    readonly maxTurns: number,
  ) {
    super(
      "MAX_TURNS_REACHED",
      `The turn of the agent "${agentType}" was stopped after ${maxTurns} model ${maxTurns === 1 ? "call" : "calls"}, which is the session's maxTurns. Send another message to go on, or raise maxTurns.`,
    );
  }
}

/** A session has cost as much as it may. */
export class BudgetSpentError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly agentType: string,
    readonly spent: { readonly spentUsd: number; readonly maxBudgetUsd: number },
  ) {
    const { spentUsd, maxBudgetUsd } = spent;
    super(
      "BUDGET_SPENT",
      `The session of the agent "${agentType}" has spent ${formatUsd(spentUsd)} of its budget of ${formatUsd(maxBudgetUsd)}, so it was stopped. Raise maxBudgetUsd, or go on in a new session.`,
    );
  }
}

/** A session has a budget, and nobody knows what its model costs. */
export class CostUnknownError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly agentType: string,
    /** The model, where it is known. */
    readonly model?: string,
  ) {
    const which = model === undefined ? "its model" : `the model "${model}"`;
    super(
      "COST_UNKNOWN",
      `The agent "${agentType}" does not tell what ${which} costs, so the session's maxBudgetUsd cannot be held. Leave maxBudgetUsd out and use maxTurns, or give the endpoint's models their prices.`,
    );
  }
}

/** Whether a turn was stopped because of its session's limits. */
export function isLimitError(error: unknown): boolean {
  return [MaxTurnsReachedError, BudgetSpentError, CostUnknownError].some((kind) => error instanceof kind);
}

/** What a session's limits depend on. */
export interface SessionLimitsOptions {
  readonly agentType: string;
  readonly config: Pick<SessionConfig, "maxTurns" | "maxBudgetUsd" | "spentUsd">;
  /** Whether the agent tells the price with each call of the model, not only at the end of the turn. @default false */
  readonly pricesEachCall?: boolean;
  /** Whether the model is known to cost nothing, so that a price of 0 is one. @default false */
  readonly isFree?: boolean;
  /**
   * Whether the client tells what was spent before each further call of the model (`noteTurnCost`): then a `usage` event
   * only accounts for calls that were allowed. @default false
   */
  readonly asksAhead?: boolean;
  /**
   * Whether the agent does not say when it calls the model: then a call is what is said or done after the results of
   * tools. @default false
   */
  readonly hidesCalls?: boolean;
}

/**
 * What a session may use up, and what it has used. A client tells it what happens, and stops the turn with the error that
 * it returns.
 *
 * 1. `maxTurns` bounds the model calls of each turn, those of sub-agents apart.
 * 2. `maxBudgetUsd` bounds the whole session. A turn whose budget is spent is stopped before the next model call that
 *    follows what has been told of; one that has its answer is not failed, but no other begins. How late an agent tells
 *    is how late it is stopped. Claude Code, which waits for an answer before each call, is not late, but for what its
 *    sub-agents have written where Atomic has the prices, which it tells at the end of the turn. OpenCode's sub-agents
 *    are stopped at the end of the call after. Over ACP the agent may be a call ahead of the price, or tell it last.
 * 3. A budget is never silently without effect: a turn fails that spent tokens and told no price, or told neither.
 */
export class SessionLimits {
  readonly #options: SessionLimitsOptions;
  #spentUsd: number;
  #callCount = 0;
  #turnTokens = 0;
  #turnUsd = 0;
  /** The part of `#turnUsd` that no `usage` event has told yet. */
  #earlyUsd = 0;
  readonly #openTools = new Set<string>();
  /** Whether a tool has ended since the last call of the model. */
  #hasResult = false;
  /** Whether the agent has told what this turn used. */
  #hasUsage = false;
  /** Whether what is said or done next comes of another call of the model. */
  #awaitsCall = true;

  constructor(options: SessionLimitsOptions) {
    this.#options = options;
    this.#spentUsd = options.config.spentUsd ?? 0;
  }

  /** What is left of the budget, in United States dollars; undefined without a budget. */
  get remainingUsd(): number | undefined {
    const { maxBudgetUsd } = this.#options.config;
    return maxBudgetUsd === undefined ? undefined : Math.max(0, maxBudgetUsd - this.#spentUsd);
  }

  /** A turn begins. Returns why it must not. */
  beginTurn(): AtomicError | undefined {
    this.#callCount = 0;
    this.#turnTokens = 0;
    this.#turnUsd = 0;
    this.#earlyUsd = 0;
    this.#hasUsage = false;
    this.#openTools.clear();
    this.#hasResult = false;
    this.#awaitsCall = true;
    return this.#budgetError();
  }

  /** The model is about to be called, or has just been. Returns why the turn must stop. */
  noteCall(): AtomicError | undefined {
    const { agentType, config } = this.#options;
    this.#callCount += 1;
    if (config.maxTurns !== undefined && this.#callCount > config.maxTurns) {
      return new MaxTurnsReachedError(agentType, config.maxTurns);
    }
    return this.#callCount === 1 ? undefined : this.#budgetError();
  }

  /** The last model call has ended, and the agent is about to call the model again. Returns why the turn must stop. */
  noteCallAhead(): AtomicError | undefined {
    const { agentType, config } = this.#options;
    if (config.maxTurns !== undefined && this.#callCount >= config.maxTurns) {
      return new MaxTurnsReachedError(agentType, config.maxTurns);
    }
    return this.#budgetError();
  }

  /** Something happened in the turn. Returns why the turn must stop. */
  noteEvent(event: AgentEventBody): AtomicError | undefined {
    if (event.type === "usage") return this.#noteUsage(event);
    return this.#options.hidesCalls === true ? this.#inferCall(event) : undefined;
  }

  /** What the turn has cost so far, where the agent tells the sum. Returns why the turn must stop. */
  noteTurnCost(costUsd: number): AtomicError | undefined {
    this.#hasUsage = true;
    const more = Math.max(0, costUsd - this.#turnUsd);
    this.#earlyUsd += more;
    this.#addCost(more);
    return this.#budgetError();
  }

  /** The error of a limit that the agent itself has stopped the turn for; undefined where the session has none. */
  errorOf(limit: "maxTurns" | "maxBudgetUsd" | undefined): AtomicError | undefined {
    const { agentType, config } = this.#options;
    const { maxTurns, maxBudgetUsd } = config;
    if (limit === "maxTurns" && maxTurns !== undefined) return new MaxTurnsReachedError(agentType, maxTurns);
    if (limit !== "maxBudgetUsd" || maxBudgetUsd === undefined) return undefined;
    return new BudgetSpentError(agentType, { spentUsd: this.#spentUsd, maxBudgetUsd });
  }

  /** The turn has its answer. Returns why it fails all the same. */
  endTurn(): AtomicError | undefined {
    const spentUnseen = this.#turnTokens > 0 || !this.#hasUsage;
    return this.#needsPrice && spentUnseen ? new CostUnknownError(this.#options.agentType) : undefined;
  }

  /** Whether the session has a budget and nobody knows what the turn has cost. */
  get #needsPrice(): boolean {
    const { config, isFree = false } = this.#options;
    return config.maxBudgetUsd !== undefined && !isFree && this.#turnUsd === 0;
  }

  /** Invariants 2 and 3. */
  #noteUsage({ usage }: Extract<AgentEventBody, { type: "usage" }>): AtomicError | undefined {
    this.#hasUsage = true;
    const spent = this.#options.asksAhead === true ? undefined : this.#budgetError();
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd = 0 } = usage;
    const tokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
    this.#turnTokens += tokens;
    this.#addCost(Math.max(0, costUsd - this.#earlyUsd));
    this.#earlyUsd = Math.max(0, this.#earlyUsd - costUsd);
    const { agentType, pricesEachCall = false } = this.#options;
    return spent ?? (this.#needsPrice && pricesEachCall && tokens > 0 ? new CostUnknownError(agentType) : undefined);
  }

  #addCost(costUsd: number): void {
    this.#turnUsd += costUsd;
    this.#spentUsd += costUsd;
  }

  #inferCall(event: AgentEventBody): AtomicError | undefined {
    switch (event.type) {
      case "tool-end":
        this.#openTools.delete(event.toolId);
        this.#hasResult = true;
        if (this.#openTools.size === 0) this.#awaitsCall = true;
        return undefined;
      case "tool-start":
        this.#openTools.add(event.toolId);
        // Also while others are open: an agent may leave one open for ever.
        return this.#hasResult || this.#awaitsCall ? this.#takeCall() : undefined;
      case "text-delta":
      case "thinking-delta":
        return this.#awaitsCall ? this.#takeCall() : undefined;
      default:
        return undefined;
    }
  }

  #takeCall(): AtomicError | undefined {
    this.#awaitsCall = false;
    this.#hasResult = false;
    return this.noteCall();
  }

  #budgetError(): AtomicError | undefined {
    const { agentType, config } = this.#options;
    if (config.maxBudgetUsd === undefined || this.#spentUsd < config.maxBudgetUsd) return undefined;
    return new BudgetSpentError(agentType, { spentUsd: this.#spentUsd, maxBudgetUsd: config.maxBudgetUsd });
  }
}

/** Cents, and as many digits as a smaller amount needs. */
function formatUsd(amount: number): string {
  return `$${amount >= 0.01 || amount === 0 ? amount.toFixed(2) : amount.toPrecision(2)}`;
}
