import { addUsage, NO_USAGE, type Usage } from "../../contracts/index.ts";
import { RunLimitError } from "../errors/errors.ts";

/** How much a run may use up (E3). */
export interface RunBudget {
  /** Tokens of all kinds together: input, output, read from and written to a cache. */
  readonly maxTokens?: number;
  /** United States dollars, as far as the agents tell prices. */
  readonly maxCostUsd?: number;
}

/** What nodes have used up that no record says yet: those that run, and those whose record never comes. */
export class Spending<Key> {
  #running: Map<Key, Usage> | undefined;
  #lost: Usage | undefined;

  /** A node used something up. */
  add(key: Key, usage: Usage): void {
    this.#running ??= new Map();
    this.#running.set(key, addUsage(this.#running.get(key) ?? NO_USAGE, usage));
  }

  /** A node has ended; its record is to say what it used up, of which this was heard. */
  settle(key: Key): Usage | undefined {
    const used = this.#running?.get(key);
    this.#running?.delete(key);
    return used;
  }

  /** A node has ended, and no record will say what it used up. */
  lose(key: Key, usage: Usage | undefined): void {
    this.#running?.delete(key);
    if (usage !== undefined) this.#lost = addUsage(this.#lost ?? NO_USAGE, usage);
  }

  /** All of it; `undefined` for nothing. */
  get total(): Usage | undefined {
    let total = this.#lost;
    for (const usage of this.#running?.values() ?? []) total = total === undefined ? usage : addUsage(total, usage);
    return total;
  }
}

/** The bound that a use of so much breaks, if any. */
export function findBrokenBudget(budget: RunBudget, used: Usage): RunLimitError | undefined {
  const { maxTokens, maxCostUsd } = budget;
  const tokens = used.inputTokens + used.outputTokens + used.cacheReadTokens + used.cacheWriteTokens;
  if (maxTokens !== undefined && tokens > maxTokens) return new RunLimitError("maxTokens", maxTokens);
  const cost = used.costUsd ?? 0;
  return maxCostUsd !== undefined && cost > maxCostUsd ? new RunLimitError("maxCostUsd", maxCostUsd) : undefined;
}
