import type { RunErrorInfo, Usage } from "../../contracts/index.ts";
import type { RunResult } from "../run/run-options.ts";
import type { BaseState } from "../state/annotation.ts";

/** What every step of a plan has. */
interface PlanStepBase {
  /** The branches and graphs around it, for example `parallel_1[search]/deep/`; empty in the graph itself. */
  readonly path: string;
}

/** A visit of a node. */
export interface PlanNode extends PlanStepBase {
  readonly type: "node";
  readonly taskId: string;
  readonly nodeId: string;
  readonly nodeType: string;
  readonly attempts: number;
  /** `executed`: its code ran; `given`: the result is from `results`; `skipped`: neither. */
  readonly source: "executed" | "given" | "skipped";
  /** `dropped`: its branch was no longer needed; `unfinished`: the run ended before it. */
  readonly outcome: "completed" | "failed" | "dropped" | "unfinished";
  /** The agent that worked on it. */
  readonly agentType?: string;
  /** The requested model, if the node or the run names one. */
  readonly model?: string;
}

/** The outcome of an `if`. */
export interface PlanDecision extends PlanStepBase {
  readonly type: "decision";
  readonly id: string;
  readonly outcome: boolean;
}

/** The decision of a loop before an iteration. */
export interface PlanIteration extends PlanStepBase {
  readonly type: "iteration";
  readonly id: string;
  /** The number of iterations before. */
  readonly iteration: number;
  /**
   * `at-limit`: the loop reached its limit and its condition is false. `undecided`: the plan left the loop at the
   * `maxIterations` of the plan.
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

/** A command that a run would execute. */
export interface PlanCommand extends PlanStepBase {
  readonly type: "command";
  readonly taskId: string;
  readonly command: string;
  /** As `commands` has it. */
  readonly exitCode: number;
}

/** A node that slept. */
export interface PlanSleep extends PlanStepBase {
  readonly type: "sleep";
  readonly taskId: string;
  readonly durationMs: number;
}

/** One step of a dry run. */
export type PlanStep =
  | PlanNode
  | PlanDecision
  | PlanIteration
  | PlanFanOut
  | PlanRoute
  | PlanQuestion
  | PlanCommand
  | PlanSleep;

/** How often a loop ran; one entry per time that it was entered. */
export interface PlanLoop {
  readonly path: string;
  readonly id: string;
  readonly iterations: number;
}

/** The result of a dry run. */
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
  /** Problems that do not fail the run. */
  readonly warnings: readonly string[];
  /** How long pauses, delays and time limits would take, in milliseconds. */
  readonly waitedMs: number;
  readonly usage: Usage;
}

/** The steps of one type, in order. */
export function stepsOfType<Type extends PlanStep["type"]>(
  { steps }: Pick<PlanReport, "steps">,
  type: Type,
): readonly Extract<PlanStep, { type: Type }>[] {
  // The cast is true: the filter keeps steps of this type only.
  return steps.filter((step) => step.type === type) as Extract<PlanStep, { type: Type }>[];
}
