/** The state that every engine carries through the steps of a run. */
export interface BenchState {
  /** How many steps have run. */
  readonly count: number;
  readonly [field: string]: unknown;
}

/** The state update of a step. */
export type BenchUpdate = Readonly<Record<string, unknown>> & Pick<BenchState, "count">;

/** Steps one after the other. */
export interface StepsWork {
  readonly type: "steps";
  /** A `chain` has a node for each step, a `loop` one node that is run again and again. */
  readonly shape: "chain" | "loop";
  readonly stepCount: number;
  readonly firstState: BenchState;
  /** Fields to whose list an update is appended; all others are replaced. */
  readonly appended: readonly string[];
  /** The node's body, the same function in every engine. */
  readonly body: (state: BenchState) => BenchUpdate | Promise<BenchUpdate>;
}

/** Branches side by side whose results are collected. */
export interface FanOutWork {
  readonly type: "fan-out";
  /** Over a list that only the run knows, or over branches that the graph names one by one. */
  readonly branches: "dynamic" | "static";
  readonly stepCount: number;
}

/** A run that asks a person. */
export interface AskingWork {
  readonly type: "asking";
  readonly stepCount: 1;
  readonly firstState: BenchState;
}

/** The work of an engine. */
export type Work = StepsWork | FanOutWork | AskingWork;

/** A text of 1 KB. */
const TEXT = "x".repeat(1024);

const COUNTER: BenchState = { count: 0, text: TEXT };

const raise = (state: BenchState): BenchUpdate => ({ count: state.count + 1 });

/** Steps that raise a counter beside 1 KB of text that none of them changes. */
export function counterSteps(shape: StepsWork["shape"], stepCount: number): StepsWork {
  return { type: "steps", shape, stepCount, firstState: COUNTER, appended: [], body: raise };
}

/** The same with `async` functions. */
export function asyncCounterSteps(shape: StepsWork["shape"], stepCount: number): StepsWork {
  return { ...counterSteps(shape, stepCount), body: async (state) => raise(state) };
}

/** Steps that each write a note of 1 KB into a state with 1 MB of pages that none of them changes. */
export function largeStateSteps(stepCount: number): StepsWork {
  const pages = Array.from({ length: 1024 }, (_, index) => textOf(index, 1024));
  return {
    type: "steps",
    shape: "loop",
    stepCount,
    firstState: { count: 0, note: "", pages },
    appended: [],
    body: ({ count }) => ({ count: count + 1, note: textOf(count, 1024) }),
  };
}

/** Steps that each append a message of 2 KB, as a conversation with an agent grows. */
export function conversationSteps(stepCount: number): StepsWork {
  return {
    type: "steps",
    shape: "loop",
    stepCount,
    firstState: { count: 0, messages: [] },
    appended: ["messages"],
    body: ({ count }) => ({ count: count + 1, messages: [{ role: "assistant", content: textOf(count, 2048) }] }),
  };
}

/** A step that never ends. */
export function endlessStep(): StepsWork {
  return { ...counterSteps("chain", 1), body: () => new Promise(() => undefined) };
}

/** A question to a person, in a run with the counter's state. */
export function question(): AskingWork {
  return { type: "asking", stepCount: 1, firstState: COUNTER };
}

/** The body of a branch: the result for its item, which is its index. */
export function branchResult(index: number): number {
  return index * 2;
}

/** The items 0 to one less than the given number. */
export function listItems(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** Ids of nodes, in their order. */
export function listNodeIds(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `node_${index + 1}`);
}

/**
 * Throws unless a run did what it should have, so that no engine is measured for work it left out.
 *
 * @param result the final state, or the list of the branches' results
 */
export function assertFinished(work: Work, result: unknown): void {
  if (work.type === "steps") return assertSteps(work, result);
  if (work.type === "asking") return;
  const results: readonly unknown[] = Array.isArray(result) ? result : [];
  const sum = results.reduce<number>((total, value) => total + Number(value), 0);
  if (results.length === work.stepCount && sum === work.stepCount * (work.stepCount - 1)) return;
  throw new Error(`A run of ${work.stepCount} branches ended with ${results.length} results whose sum is ${sum}.`);
}

function assertSteps({ stepCount, firstState, appended }: StepsWork, result: unknown): void {
  // The cast is true for every engine's result, and harmless otherwise: what is read is compared.
  const state = (result ?? {}) as Partial<BenchState>;
  const isComplete = Object.keys(firstState).every((field) => state[field] !== undefined);
  // The cast is true: appended fields hold lists.
  const isAppended = appended.every((field) => (state[field] as readonly unknown[]).length === stepCount);
  if (state.count === stepCount && isComplete && isAppended) return;
  throw new Error(`A run of ${stepCount} steps ended with ${JSON.stringify(state).slice(0, 200)}.`);
}

/** A text that no other number has. */
function textOf(seed: number, length: number): string {
  return `${seed} `.repeat(Math.ceil(length / `${seed} `.length)).slice(0, length);
}
