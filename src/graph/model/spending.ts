import { addUsage, NO_USAGE, type Usage } from "../../contracts/index.ts";
import { RunLimitError } from "../errors/errors.ts";

/** The maximum spending of a run (E3). */
export interface RunBudget {
  /** Tokens of all kinds together: input, output, read from and written to a cache. */
  readonly maxTokens?: number;
  /** United States dollars, if the agents report prices. */
  readonly maxCostUsd?: number;
}

/** Usage of nodes that is in no record yet: of running nodes, and of nodes whose record will never come. */
export class Spending<Key> {
  #running: Map<Key, Usage> | undefined;
  #lost: Usage | undefined;

  /** Adds usage of a running node. */
  add(key: Key, usage: Usage): void {
    this.#running ??= new Map();
    this.#running.set(key, addUsage(this.#running.get(key) ?? NO_USAGE, usage));
  }

  /** A node has ended: removes and returns its usage, which its record will contain. */
  settle(key: Key): Usage | undefined {
    const used = this.#running?.get(key);
    this.#running?.delete(key);
    return used;
  }

  /** A node has ended, and no record will contain its usage. */
  lose(key: Key, usage: Usage | undefined): void {
    this.#running?.delete(key);
    if (usage !== undefined) this.#lost = addUsage(this.#lost ?? NO_USAGE, usage);
  }

  /** The total; `undefined` when there is none. */
  get total(): Usage | undefined {
    let total = this.#lost;
    for (const usage of this.#running?.values() ?? []) total = total === undefined ? usage : addUsage(total, usage);
    return total;
  }
}

/** The limit that this usage exceeds, if any. */
export function findBrokenBudget(budget: RunBudget, used: Usage): RunLimitError | undefined {
  const { maxTokens, maxCostUsd } = budget;
  const tokens = used.inputTokens + used.outputTokens + used.cacheReadTokens + used.cacheWriteTokens;
  if (maxTokens !== undefined && tokens > maxTokens) return new RunLimitError("maxTokens", maxTokens);
  const cost = used.costUsd ?? 0;
  return maxCostUsd !== undefined && cost > maxCostUsd ? new RunLimitError("maxCostUsd", maxCostUsd) : undefined;
}
