import { AtomicError } from "../errors/atomic-error.ts";
import type { AgentEventBody } from "./agent-event.ts";
import type { SessionConfig } from "./session-config.ts";

/** A turn needed more model calls than its session allows. */
export class MaxTurnsReachedError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly agentType: string,
    readonly maxTurns: number,
  ) {
    super(
      "MAX_TURNS_REACHED",
      `The turn of the agent "${agentType}" was stopped after ${maxTurns} model ${maxTurns === 1 ? "call" : "calls"}, which is the session's maxTurns. Send another message to continue, or raise maxTurns.`,
    );
  }
}

/** A session has spent its budget. */
export class BudgetSpentError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly agentType: string,
    readonly spent: { readonly spentUsd: number; readonly maxBudgetUsd: number },
  ) {
    const { spentUsd, maxBudgetUsd } = spent;
    super(
      "BUDGET_SPENT",
      `The session of the agent "${agentType}" has spent ${formatUsd(spentUsd)} of its budget of ${formatUsd(maxBudgetUsd)}, so it was stopped. Raise maxBudgetUsd, or continue in a new session.`,
    );
  }
}

/** A session has a budget, but the price of its model is unknown. */
export class CostUnknownError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly agentType: string,
    /** Absent when unknown. */
    readonly model?: string,
  ) {
    const which = model === undefined ? "its model" : `the model "${model}"`;
    super(
      "COST_UNKNOWN",
      `The agent "${agentType}" does not report what ${which} costs, so the session's maxBudgetUsd cannot be enforced. Use maxTurns instead, or configure prices for the endpoint's models.`,
    );
  }
}

/** Whether a turn was stopped because of its session's limits. */
export function isLimitError(error: unknown): boolean {
  return [MaxTurnsReachedError, BudgetSpentError, CostUnknownError].some((kind) => error instanceof kind);
}

/** Options of {@link SessionLimits}. */
export interface SessionLimitsOptions {
  readonly agentType: string;
  readonly config: Pick<SessionConfig, "maxTurns" | "maxBudgetUsd" | "spentUsd">;
  /** Whether the agent reports the price of each model call, not only that of the whole turn. @default false */
  readonly pricesEachCall?: boolean;
  /** Whether the model is free: a price of 0 is then a known price. @default false */
  readonly isFree?: boolean;
  /**
   * Whether the client reports the spending before each further model call (`noteTurnCost`). A `usage` event then only
   * accounts for calls that were already allowed. @default false
   */
  readonly asksAhead?: boolean;
  /**
   * Whether the agent does not report its model calls. A call is then inferred from the first output after tool results.
   * @default false
   */
  readonly hidesCalls?: boolean;
}

/**
 * A session's limits and its spending. A client reports what happens, and stops the turn with the error that is
 * returned.
 *
 * 1. `maxTurns` limits the model calls of each turn, those of sub-agents excluded.
 * 2. `maxBudgetUsd` limits the whole session. Once the reported cost reaches it, the turn stops before its next model
 *    call. A turn that already has its answer does not fail, but no other turn starts. The delay of the agent's report
 *    is the delay of the stop: Claude Code waits for Atomic before each call and has none, except that the output of its
 *    sub-agents, where Atomic computes the prices, is only reported at the end of the turn. OpenCode's sub-agents stop
 *    at the end of the next call. Over ACP, the price may be reported one call late, or at the end of the turn.
 * 3. A budget is never silently ignored: a turn fails that spent tokens without a price, or reported neither.
 */
export class SessionLimits {
  readonly #options: SessionLimitsOptions;
  #spentUsd: number;
  #callCount = 0;
  #turnTokens = 0;
  #turnUsd = 0;
  /** The part of `#turnUsd` that no `usage` event has reported yet. */
  #earlyUsd = 0;
  readonly #openTools = new Set<string>();
  /** Whether a tool has ended since the last model call. */
  #hasResult = false;
  /** Whether the agent has reported this turn's usage. */
  #hasUsage = false;
  /** Whether the next output comes from another model call. */
  #awaitsCall = true;

  constructor(options: SessionLimitsOptions) {
    this.#options = options;
    this.#spentUsd = options.config.spentUsd ?? 0;
  }

  /** The rest of the budget, in United States dollars; undefined without a budget. */
  get remainingUsd(): number | undefined {
    const { maxBudgetUsd } = this.#options.config;
    return maxBudgetUsd === undefined ? undefined : Math.max(0, maxBudgetUsd - this.#spentUsd);
  }

  /** Starts a turn. Returns the error that prevents it. */
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

  /** Counts a model call that is about to start, or has just started. Returns the error that must stop the turn. */
  noteCall(): AtomicError | undefined {
    const { agentType, config } = this.#options;
    this.#callCount += 1;
    if (config.maxTurns !== undefined && this.#callCount > config.maxTurns) {
      return new MaxTurnsReachedError(agentType, config.maxTurns);
    }
    return this.#callCount === 1 ? undefined : this.#budgetError();
  }

  /** Checks the limits before another model call. Returns the error that must stop the turn. */
  noteCallAhead(): AtomicError | undefined {
    const { agentType, config } = this.#options;
    if (config.maxTurns !== undefined && this.#callCount >= config.maxTurns) {
      return new MaxTurnsReachedError(agentType, config.maxTurns);
    }
    return this.#budgetError();
  }

  /** Counts an event of the turn. Returns the error that must stop the turn. */
  noteEvent(event: AgentEventBody): AtomicError | undefined {
    if (event.type === "usage") return this.#noteUsage(event);
    return this.#options.hidesCalls === true ? this.#inferCall(event) : undefined;
  }

  /** Counts the turn's cost so far, where the agent reports the sum. Returns the error that must stop the turn. */
  noteTurnCost(costUsd: number): AtomicError | undefined {
    this.#hasUsage = true;
    const more = Math.max(0, costUsd - this.#turnUsd);
    this.#earlyUsd += more;
    this.#addCost(more);
    return this.#budgetError();
  }

  /** The error for a limit at which the agent itself stopped the turn; undefined when the session has no such limit. */
  errorOf(limit: "maxTurns" | "maxBudgetUsd" | undefined): AtomicError | undefined {
    const { agentType, config } = this.#options;
    const { maxTurns, maxBudgetUsd } = config;
    if (limit === "maxTurns" && maxTurns !== undefined) return new MaxTurnsReachedError(agentType, maxTurns);
    if (limit !== "maxBudgetUsd" || maxBudgetUsd === undefined) return undefined;
    return new BudgetSpentError(agentType, { spentUsd: this.#spentUsd, maxBudgetUsd });
  }

  /** Ends a turn that has its answer. Returns the error that it fails with nevertheless. */
  endTurn(): AtomicError | undefined {
    const spentUnseen = this.#turnTokens > 0 || !this.#hasUsage;
    return this.#needsPrice && spentUnseen ? new CostUnknownError(this.#options.agentType) : undefined;
  }

  /** Whether the session has a budget and the turn's cost is unknown. */
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
        // Even while other tools are open: an agent may never close one.
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

/** Two decimals, or two significant digits for less than a cent. */
function formatUsd(amount: number): string {
  return `$${amount >= 0.01 || amount === 0 ? amount.toFixed(2) : amount.toPrecision(2)}`;
}
