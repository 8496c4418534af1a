import type { Checkpointer } from "./checkpointer.ts";
import type { RunBudget } from "./spending.ts";

/** The settings of a graph that are plain values and what keeps it: those of `GraphConfig` that its nodes see. */
export interface GraphSettings {
  /** The workflow's name, for journals and lists. @default "graph" */
  readonly name?: string;
  /** The workflow's version, for the journal. */
  readonly version?: string;
  /** The version of the state's shape. Raise it with a change that runs under way must follow. @default 0 */
  readonly stateVersion?: number;
  /** Keeps the run on disk. Without one a run cannot be resumed after its process. */
  readonly checkpointer?: Checkpointer;
  /**
   * With `false` the run is not kept, unless `run()` is given a checkpointer of its own, as the command line does. With `true`
   * a run without a checkpointer is refused.
   * @default runs are kept where there is a checkpointer
   */
  readonly checkpointing?: boolean;
  /** How many nodes may run at the same time, nested branches included. @default 16 */
  readonly maxConcurrency?: number;
  /** How many nodes a run may start in all. @default 1_000_000 */
  readonly maxSteps?: number;
  /**
   * How often a `goto` may lead to one node, in one branch, and within one iteration of the loops that both lie in. Loops
   * and maps have bounds of their own.
   * @default 1_000
   */
  readonly maxVisits?: number;
  /** The longest time this process may spend on the run, in milliseconds. @default none */
  readonly timeoutMs?: number;
  /** How much the run may use up, all its processes together. @default no bound */
  readonly budget?: RunBudget;
  /**
   * The model of nodes that name none. Where the graph is run by a `subgraphNode` that names a model, that one holds, and
   * otherwise this one, before the run's.
   * @default the agent's own
   */
  readonly defaultModel?: string;
  /**
   * The agent that {@link defaultModel} is a model of: nodes that name another agent are left to that agent's own.
   * @default it is one of every agent
   */
  readonly defaultModelAgent?: string;
  /**
   * From this part of the context window on, 0 to 1, a session with a name is made shorter after the turn of an agent's node,
   * by a summary where the agent can, else by beginning a new one. Also the `compaction` threshold of context monitors that
   * name none.
   * @default none: from 0.6 on there is a warning; context monitors begin at 0.45
   */
  readonly contextWindowThreshold?: number;
  /** For how long a process waits for a question that will answer itself, in milliseconds. @default 600_000 */
  readonly autoApproveWaitMs?: number;
  /** For how long a cancelled node may clean up, in milliseconds. @default 10_000 */
  readonly cancelGraceMs?: number;
  /** How much is written to the journal before a snapshot makes loading shorter, in characters. @default 262_144 */
  readonly snapshotMinLength?: number;
  /**
   * How large what one node leaves may be, as JSON, about, in bytes: its update, the value of a step, its output, the input
   * of its own graph. A larger one fails the node, before any of it is kept.
   * @default 67_108_864
   */
  readonly maxUpdateBytes?: number;
  /**
   * `all`: every moment of a run can be looked at and forked from. `latest`: a snapshot takes the place of all that
   * stands before it, so that the journal of a run that goes on for ever does not grow with it.
   * @default "all"
   */
  readonly history?: "all" | "latest";
}
