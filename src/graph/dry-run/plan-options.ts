import type { HumanRequest } from "../../contracts/index.ts";
import type { ClientProvider, RunServices, WorkflowResolver } from "../model/execution-context.ts";
import type { MapPlace } from "../model/map-place.ts";
import type { CommandResult } from "../model/run-command.ts";
import type { OptionTable } from "../options/find-option-problems.ts";
import { aFunction, countOrInfinity, either, object, text, timeLimit, yesOrNo } from "../options/option-checks.ts";
import { RUN_OPTIONS } from "../run/run-options.ts";
import type { BaseState } from "../state/annotation.ts";

/** The result of a command that is not executed. @default exit code 0 and no output */
export type PlannedCommand = Partial<Pick<CommandResult, "exitCode" | "stdout" | "stderr">>;

/** A question, as the function `answers` receives it. */
export type PlannedQuestion = Pick<HumanRequest, "id" | "nodeId" | "question" | "options" | "schema">;

/** The update of a node that is not executed, or a function that makes it from the state. */
export type PlannedResult<State extends BaseState> =
  | Partial<State>
  | ((state: Readonly<State>, place: MapPlace) => Partial<State>);

/** Settings of a dry run. */
export interface PlanOptions<State extends BaseState = BaseState> {
  /** The agents. They do real work: only scripted ones are free. Required if the run reaches a node that asks an agent. */
  readonly clients?: ClientProvider;
  /** Finds workflows by name, for `subgraphNode`. */
  readonly workflows?: WorkflowResolver;
  /**
   * Named tools, agents, skills and commands, the runner of sub-agents, and the task store. Their effects are real: pass a
   * store in memory. Without `tasks`, task loops have nothing to do.
   * @default the tools of `getToolRegistry()` and the agents of `getSubagentRegistry()`, if they are set
   */
  readonly services?: Pick<RunServices, "agents" | "commands" | "skills" | "subagents" | "tasks" | "tools">;
  /**
   * Answers, by the id of the question or of its node, or a function that returns an answer or `undefined`.
   * @default the question's own, the first option, or the smallest value that fits
   */
  readonly answers?: Readonly<Record<string, unknown>> | ((question: PlannedQuestion) => unknown);
  /** The results of commands, by the whole command line. */
  readonly commands?: Readonly<Record<string, PlannedCommand>> | ((command: string) => PlannedCommand | undefined);
  /** Updates of this graph's nodes, by node id. These nodes are not executed. */
  readonly results?: Readonly<Record<string, PlannedResult<State>>>;
  /** Whether to execute the functions of `toolNode`, `.catch` and custom nodes. @default false: they are skipped */
  readonly runTools?: boolean;
  /** The most nodes to visit. @default 10_000 */
  readonly maxSteps?: number;
  /**
   * The most iterations to plan of a loop whose `until` is still false; the plan then continues after the loop. The values
   * that would end the loop may be missing in a plan. @default as many as the loop allows
   */
  readonly maxIterations?: number;
  /** The model of nodes without one. @default the graph's own setting */
  readonly defaultModel?: string;
  /** Cancels the dry run. */
  readonly signal?: AbortSignal;
  /**
   * When a running node reports nothing for this long, in real milliseconds, the clock advances to the next time limit.
   * Raise it for slow agents and functions.
   * @default 1_000
   */
  readonly patienceMs?: number;
}

/** The options of `plan()`. */
export const PLAN_OPTIONS: OptionTable<PlanOptions> = {
  clients: aFunction,
  workflows: aFunction,
  services: RUN_OPTIONS.services,
  answers: either(object, aFunction),
  commands: either(object, aFunction),
  results: object,
  runTools: yesOrNo,
  maxSteps: countOrInfinity,
  maxIterations: countOrInfinity,
  defaultModel: text,
  signal: RUN_OPTIONS.signal,
  patienceMs: timeLimit,
};
