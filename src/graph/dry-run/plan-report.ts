import type { RunErrorInfo, Usage } from "../../contracts/index.ts";
import type { RunResult } from "../run/run-options.ts";
import type { BaseState } from "../state/annotation.ts";

/** What every step of a plan says. */
interface PlanStepBase {
  /** What it lies in: empty for the graph itself, else like `parallel_1[search]/deep/`. */
  readonly path: string;
}

/** A visit of a node. */
export interface PlanNode extends PlanStepBase {
  readonly type: "node";
  readonly taskId: string;
  readonly nodeId: string;
  readonly nodeType: string;
  readonly attempts: number;
  /** Whether its code ran, or a result was taken from `results`, or it was left out. */
  readonly source: "executed" | "given" | "skipped";
  /** `dropped`: its branch was no longer needed; `unfinished`: the run ended before it. */
  readonly outcome: "completed" | "failed" | "dropped" | "unfinished";
  /** The agent that worked on it. */
  readonly agentType?: string;
  /** The model that was asked for, where the node or the run names one. */
  readonly model?: string;
}

/** What an `if` came to. */
export interface PlanDecision extends PlanStepBase {
  readonly type: "decision";
  readonly id: string;
  readonly outcome: boolean;
}

/** What a loop came to before an iteration. */
export interface PlanIteration extends PlanStepBase {
  readonly type: "iteration";
  readonly id: string;
  /** Iterations done before. */
  readonly iteration: number;
  /**
   * `at-limit`: its bound is reached and its condition does not hold. `undecided`: the plan left it at its own
   * `maxIterations`.
   */
  readonly outcome: "again" | "done" | "at-limit" | "undecided";
  /** How often an undecided loop may run. */
  readonly limit?: number;
}

/** How many branches a `.map` made. */
export interface PlanFanOut extends PlanStepBase {
  readonly type: "fan-out";
  readonly id: string;
  readonly count: number;
}

/** Where a node went instead of to the next step. */
export interface PlanRoute extends PlanStepBase {
  readonly type: "route";
  readonly taskId: string;
  readonly targets: readonly string[];
}

/** A question to a person, and how it was answered. */
export interface PlanQuestion extends PlanStepBase {
  readonly type: "question";
  readonly taskId: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly answer: unknown;
  /** `given`: from `answers`; `made-up`: the smallest value that fits; `automatic`: the question's own after its delay. */
  readonly source: "given" | "first-option" | "made-up" | "automatic";
}

/** A command that would have run. */
export interface PlanCommand extends PlanStepBase {
  readonly type: "command";
  readonly taskId: string;
  readonly command: string;
  /** As `commands` has it. */
  readonly exitCode: number;
}

/** A rest that a node took. */
export interface PlanSleep extends PlanStepBase {
  readonly type: "sleep";
  readonly taskId: string;
  readonly durationMs: number;
}

/** One thing that happened in a dry run. */
export type PlanStep =
  | PlanNode
  | PlanDecision
  | PlanIteration
  | PlanFanOut
  | PlanRoute
  | PlanQuestion
  | PlanCommand
  | PlanSleep;

/** How often a loop ran; one entry for each time it was entered. */
export interface PlanLoop {
  readonly path: string;
  readonly id: string;
  readonly iterations: number;
}

/** What a dry run came to. */
export interface PlanReport<State extends BaseState = BaseState> {
  readonly status: RunResult["status"];
  /** The final state. */
  readonly state: State;
  /** Why the run failed. */
  readonly error: Error | undefined;
  /** The same, as plain data. */
  readonly errorInfo: RunErrorInfo | undefined;
  /** What happened, in order. */
  readonly steps: readonly PlanStep[];
  readonly loops: readonly PlanLoop[];
  /** How long pauses, delays and time limits would have taken, in milliseconds. */
  readonly waitedMs: number;
  readonly usage: Usage;
}

/** The steps of one type, in their order. */
export function stepsOfType<Type extends PlanStep["type"]>(
  { steps }: Pick<PlanReport, "steps">,
  type: Type,
): readonly Extract<PlanStep, { type: Type }>[] {
  // The cast is true: the filter keeps steps of this type only.
  return steps.filter((step) => step.type === type) as Extract<PlanStep, { type: Type }>[];
}
