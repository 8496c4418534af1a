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

/** A place that executes graphs. */
export interface RunBackend {
  /** Starts a run and executes it until it ends or only waits for people. */
  run(graph: CompiledGraph<LogState>, runId: string, options?: BackendOptions): Promise<RunResult<LogState>>;
  /** Resumes a run, in another process where there are processes. */
  resume(
    graph: CompiledGraph<LogState>,
    runId: string,
    answers?: Answers,
    options?: BackendOptions,
  ): Promise<RunResult<LogState>>;
  /**
   * Starts a run whose process dies silently after a number of records. Resolves when it is dead, or when the run has ended
   * before.
   */
  runUntilDeath(graph: CompiledGraph<LogState>, runId: string, recordCount: number): Promise<Death>;
}

/** What a dead process leaves. */
export interface Death {
  readonly hasEnded: boolean;
  /** What is durable and must not be repeated: ids of visits, and steps as id, space, key. */
  readonly kept: readonly string[];
}

/** The actions of nodes, seen from outside all runs. */
export class Witness {
  /** Visits that started, in order. */
  readonly begun: string[] = [];
  #runningCount = 0;
  /** The largest number of nodes that ran at the same time. */
  mostAtOnce = 0;

  /** A node that runs an action. By default it adds its id to the log. */
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

/** A one-time event that nodes can wait for. */
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
