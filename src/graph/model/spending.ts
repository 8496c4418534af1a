import type { Usage } from "../../contracts/index.ts";
import { RunLimitError } from "../errors/errors.ts";
import { addSpent, type Spent } from "./spent.ts";

/** The maximum spending of a run (E3). */
export interface RunBudget {
  /** Tokens of all kinds together: input, output, read from and written to a cache. */
  readonly maxTokens?: number;
  /** United States dollars, if the agents report prices. */
  readonly maxCostUsd?: number;
}

/** Usage of nodes that is in no record yet: of running nodes, and of nodes whose record will never come. */
export class Spending<Key> {
  #running: Map<Key, Spent> | undefined;
  #lost: Spent | undefined;

  /** Adds usage of a running node. */
  add(key: Key, spent: Spent): void {
    this.#running ??= new Map();
    const before = this.#running.get(key);
    this.#running.set(key, before === undefined ? spent : addSpent(before, spent));
  }

  /** A node has ended: removes and returns its usage, which its record will contain. */
  settle(key: Key): Spent | undefined {
    const spent = this.#running?.get(key);
    this.#running?.delete(key);
    return spent;
  }

  /** A node has ended, and no record will contain its usage. */
  lose(key: Key, spent: Spent | undefined): void {
    this.#running?.delete(key);
    if (spent !== undefined) this.#lost = this.#lost === undefined ? spent : addSpent(this.#lost, spent);
  }

  /** The total; `undefined` when there is none. */
  get total(): Spent | undefined {
    let total = this.#lost;
    for (const spent of this.#running?.values() ?? []) total = total === undefined ? spent : addSpent(total, spent);
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
