import type { Checkpointer } from "./checkpointer.ts";
import type { RunBudget } from "./spending.ts";

/** The settings of `GraphConfig` that nodes see: plain values and the checkpointer. */
export interface GraphSettings {
  /** The workflow's name, for journals and lists. @default "graph" */
  readonly name?: string;
  /** The workflow's version, for the journal. */
  readonly version?: string;
  /** The version of the state's shape. Raise it with a change that existing runs must migrate to. @default 0 */
  readonly stateVersion?: number;
  /** Keeps the run's journal. Without one, a run ends with its process. */
  readonly checkpointer?: Checkpointer;
  /**
   * `false`: keep no journal, unless `run()` receives a checkpointer, as on the command line. `true`: a run without a
   * checkpointer is rejected.
   * @default runs with a checkpointer are kept
   */
  readonly checkpointing?: boolean;
  /** How many nodes may run at the same time, nested branches included. @default 16 */
  readonly maxConcurrency?: number;
  /** How many nodes a run may start in all. @default 1_000_000 */
  readonly maxSteps?: number;
  /**
   * How often a `goto` may lead to one node, in one branch and within one iteration of the loops around both ends. Loops
   * and maps have their own limits.
   * @default 1_000
   */
  readonly maxVisits?: number;
  /** The maximum time that this process may spend on the run, in milliseconds. @default none */
  readonly timeoutMs?: number;
  /** The maximum spending of the run, in all its processes together. A run overrides each limit by itself. @default no limit */
  readonly budget?: RunBudget;
  /**
   * The model of nodes that name none. A `subgraphNode` that runs this graph and names a model overrides it; it overrides
   * the run's model.
   * @default the agent's own
   */
  readonly defaultModel?: string;
  /**
   * The agent that {@link defaultModel} belongs to: nodes of another agent use that agent's own default.
   * @default every agent
   */
  readonly defaultModelAgent?: string;
  /**
   * From this fullness of the context window on, 0 to 1, a named session is shortened after the turn of an agent's node:
   * by a summary if the agent supports it, or else by starting a new one. Also the `compaction` threshold of context
   * monitors that set none.
   * @default none: there is a warning from 0.6 on, and context monitors act from 0.45 on
   */
  readonly contextWindowThreshold?: number;
  /** How long a process waits for a question that will answer itself, in milliseconds. @default 600_000 */
  readonly autoApproveWaitMs?: number;
  /** How long a cancelled node may clean up, in milliseconds. @default 10_000 */
  readonly cancelGraceMs?: number;
  /** How much is written to the journal before a snapshot shortens loading, in characters. @default 262_144 */
  readonly snapshotMinLength?: number;
  /**
   * The maximum size of what a node returns, as approximate bytes of JSON: its update, the value of a step, its output, the
   * input and the result of its subgraph. A larger one fails the node, and none of it is kept.
   * @default 67_108_864
   */
  readonly maxUpdateBytes?: number;
  /**
   * `all`: every moment of a run can be inspected and forked. `latest`: a snapshot replaces all earlier entries, so the
   * journal of an endless run does not grow forever.
   * @default "all"
   */
  readonly history?: "all" | "latest";
}
