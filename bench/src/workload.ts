/** How many nodes the measured chain has. */
export const NODE_COUNT = 100;

/** The state that every engine carries: a counter that each node raises, and 1 KB of text that no node changes. */
export interface CounterState {
  readonly count: number;
  readonly text: string;
}

/** What a node of the chain leaves behind. */
export type CounterUpdate = Pick<CounterState, "count">;

/** A node of the chain. */
export type NodeBody = (state: CounterState) => CounterUpdate | Promise<CounterUpdate>;

/** The state before the first node. */
export const FIRST_STATE: CounterState = { count: 0, text: "x".repeat(1024) };

/** The node's body, the same function in every engine. */
export const NODE_BODIES = {
  plain: (state: CounterState): CounterUpdate => ({ count: state.count + 1 }),
  async: async (state: CounterState): Promise<CounterUpdate> => ({ count: state.count + 1 }),
};

/** Ids of the chain's nodes, in their order. */
export const NODE_IDS: readonly string[] = Array.from({ length: NODE_COUNT }, (_, index) => `node_${index + 1}`);

/** Throws unless a run did what it should have, so that no engine is measured for work it left out. */
export function assertFinished(state: CounterState): void {
  if (state.count === NODE_COUNT && state.text === FIRST_STATE.text) return;
  throw new Error(`A run ended with count ${state.count} and ${state.text.length} characters of text.`);
}
