import type { HumanRequest } from "../../contracts/index.ts";
import type { ClientProvider, RunServices, WorkflowResolver } from "../model/execution-context.ts";
import type { MapPlace } from "../model/map-place.ts";
import type { CommandResult } from "../model/run-command.ts";
import type { OptionTable } from "../options/find-option-problems.ts";
import { aFunction, countOrInfinity, either, object, text, timeLimit, yesOrNo } from "../options/option-checks.ts";
import { RUN_OPTIONS } from "../run/run-options.ts";
import type { BaseState } from "../state/annotation.ts";

/** What a command that is not executed leaves behind. @default exit code 0 and no output */
export type PlannedCommand = Partial<Pick<CommandResult, "exitCode" | "stdout" | "stderr">>;

/** A question as `answers` sees it. */
export type PlannedQuestion = Pick<HumanRequest, "id" | "nodeId" | "question" | "options" | "schema">;

/** The update of a node that is not executed, or how it is made of the state. */
export type PlannedResult<State extends BaseState> =
  | Partial<State>
  | ((state: Readonly<State>, place: MapPlace) => Partial<State>);

/** Settings of a dry run. */
export interface PlanOptions<State extends BaseState = BaseState> {
  /** The agents. They do work, so that only scripted ones are free; needed where the run meets an agent's node. */
  readonly clients?: ClientProvider;
  /** Finds workflows by name, for `subgraphNode`. */
  readonly workflows?: WorkflowResolver;
  /**
   * What nodes look up by name, what runs sub-agents, and where tasks are kept. What these do is done: give a store in
   * memory. Without `tasks`, task loops find nothing to do.
   * @default the tools of `getToolRegistry()` and the agents of `getSubagentRegistry()`, where there are any
   */
  readonly services?: Pick<RunServices, "agents" | "commands" | "skills" | "subagents" | "tasks" | "tools">;
  /**
   * Answers, by the id of the question or of its node; or a function, `undefined` from which means no answer.
   * @default the question's own, the first option, or the smallest value that fits
   */
  readonly answers?: Readonly<Record<string, unknown>> | ((question: PlannedQuestion) => unknown);
  /** What commands leave behind, by the whole command line. */
  readonly commands?: Readonly<Record<string, PlannedCommand>> | ((command: string) => PlannedCommand | undefined);
  /** Updates of nodes of this graph, by their ids, instead of executing them. */
  readonly results?: Readonly<Record<string, PlannedResult<State>>>;
  /** Executes functions: those of `toolNode`, of `.catch`, and of nodes of one's own. @default false: they change nothing */
  readonly runTools?: boolean;
  /** How many nodes may be visited. @default 10_000 */
  readonly maxSteps?: number;
  /**
   * Plans at most so many iterations of a loop whose `until` does not hold, then goes on after the loop: the values that
   * would end it may be missing from a plan. @default as many as the loop allows
   */
  readonly maxIterations?: number;
  /** The model of nodes that name none. @default the graph's own setting */
  readonly defaultModel?: string;
  /** Cancels the dry run. */
  readonly signal?: AbortSignal;
  /**
   * A node that runs and shows no sign of life for so long, in real milliseconds, makes the clock go on to the next time
   * limit. Raise it for agents and functions that are slow.
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
