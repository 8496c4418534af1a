import {
  type Answers,
  annotation,
  type CompiledGraph,
  defineState,
  type ExecutionContext,
  type NodeDefinition,
  type NodeResult,
  Reducers,
  type RunResult,
  type StateOf,
} from "../../../graph/index.ts";

/** The state of the graphs of the conformance suite. */
export const LogState = defineState({ log: annotation<string[]>([], Reducers.concat), choice: annotation("") });
export type LogState = StateOf<typeof LogState>;

/** Settings of a part of a run. */
export interface BackendOptions {
  readonly signal?: AbortSignal;
  readonly maxConcurrency?: number;
}

/** A place in which graphs are executed. */
export interface RunBackend {
  /** Begins a run and executes it until it ends or waits for people only. */
  run(graph: CompiledGraph<LogState>, runId: string, options?: BackendOptions): Promise<RunResult<LogState>>;
  /** Goes on with a run, in another process than before where there are processes. */
  resume(
    graph: CompiledGraph<LogState>,
    runId: string,
    answers?: Answers,
    options?: BackendOptions,
  ): Promise<RunResult<LogState>>;
  /**
   * Begins a run whose process dies, without a word, when it has kept so many records. Resolves when it is dead, or when
   * the run has come to its end before.
   */
  runUntilDeath(graph: CompiledGraph<LogState>, runId: string, recordCount: number): Promise<Death>;
}

/** What a process leaves behind. */
export interface Death {
  readonly hasEnded: boolean;
  /** What is kept and must not happen again: visits by their ids, steps by those, a blank and their keys. */
  readonly kept: readonly string[];
}

/** What nodes have done, seen from outside of all runs. */
export class Witness {
  /** Visits that were begun, in order. */
  readonly begun: string[] = [];
  #runningCount = 0;
  /** The largest number of nodes that ran at the same time. */
  mostAtOnce = 0;

  /** A node that does something, and notes its id in the log when it is not told otherwise. */
  node(
    id: string,
    work: (context: ExecutionContext<LogState>) => unknown = () => undefined,
    extra: Partial<NodeDefinition<LogState>> = {},
  ): NodeDefinition<LogState> {
    return {
      id,
      type: "tool",
      ...extra,
      execute: async (context) => {
        this.begun.push(context.taskId);
        this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#runningCount);
        try {
          const result = await work(context);
          return isResult(result) ? result : { stateUpdate: { log: [typeof result === "string" ? result : id] } };
        } finally {
          this.#runningCount--;
        }
      },
    };
  }
}

function isResult(value: unknown): value is NodeResult<LogState> {
  return typeof value === "object" && value !== null && "stateUpdate" in value;
}

/** Something that happens once, and that nodes can wait for. */
export class Moment {
  readonly #resolvers = Promise.withResolvers<void>();

  come(): void {
    this.#resolvers.resolve();
  }

  /** @throws the signal's reason when that is aborted first */
  async passed(signal?: AbortSignal): Promise<void> {
    if (signal === undefined) return await this.#resolvers.promise;
    signal.throwIfAborted();
    await Promise.race([
      this.#resolvers.promise,
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })),
    ]);
  }
}
