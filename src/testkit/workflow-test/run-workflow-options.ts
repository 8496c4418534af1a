import type { PermissionPolicy, RunEvent } from "../../contracts/index.ts";
import type { BaseState, Checkpointer, GraphConfig, RunServices, VirtualClock } from "../../graph/index.ts";
import type { TestAnswers } from "./answer-book.ts";
import type { TestAgent } from "./test-agent.ts";
import type { TestRepository } from "./test-repository.ts";

/** The input of a workflow: fields of its state; of a script, whose state has no fields, anything. */
export type TestInput<State extends BaseState> = BaseState extends State
  ? Readonly<Record<string, unknown>>
  : Partial<State>;

/** Settings of `runWorkflow`. */
export interface RunWorkflowOptions<State extends BaseState = BaseState> {
  readonly input?: TestInput<State>;
  /** Answers by node; see {@link TestAnswers}. A question without one leaves the run suspended. */
  readonly answers?: TestAnswers;
  /** Answers for agents. @default a short answer, or the smallest value of the requested shape */
  readonly agent?: TestAgent;
  /** The same for agents of a type that nodes name. */
  readonly agents?: Readonly<Record<string, TestAgent>>;
  /** The clock of the run; `"real"` has it wait. @default one that starts at 2026-01-01 and waits for nothing */
  readonly clock?: VirtualClock | "real";
  /** Where agents and commands work. */
  readonly repository?: Pick<TestRepository, "path">;
  /** The same, for a folder that is not a test repository. @default "." */
  readonly workingDirectory?: string;
  /** What agents are allowed to do. @default everything */
  readonly permissions?: PermissionPolicy;
  /** Overrides the `defaultConfig` of the workflow. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Settings of the run, such as `maxVisits`. */
  readonly settings?: GraphConfig<State>;
  /** @default a MemorySaver */
  readonly saver?: Checkpointer;
  /** Further services, such as `tools` or `shell`. */
  readonly services?: RunServices;
  readonly runId?: string;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
}
