import { AtomicError } from "../../../contracts/index.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { NodeDefinition, NodeResult } from "../../model/node-definition.ts";
import type { BaseState } from "../../state/annotation.ts";

/** The last node of a criteria loop left no text to look for the signal in. */
export class CriteriaOutputError extends AtomicError {
  constructor(
    readonly loopId: string,
    readonly lastNodeId: string,
  ) {
    super(
      "CRITERIA_NO_OUTPUT",
      `The loop "${loopId}" looks for its completionSignal in outputs["${lastNodeId}"], which is not a text, and no agent before it answered. Say with "output" where the text is.`,
    );
  }
}

/** What a `criteriaLoopNode` writes in the state. */
export interface CriteriaLoopState extends BaseState {
  /** Counts finished iterations. */
  readonly iteration: number;
  readonly shouldContinue: boolean;
  /** The signal was found. */
  readonly criteriaComplete: boolean;
  readonly maxIterationsReached: boolean;
}

/** Settings of a `criteriaLoopNode`. */
export interface CriteriaLoopConfig<State extends CriteriaLoopState> {
  /** @default "criteria-loop" */
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  /** What is done in each iteration, in this order. */
  readonly taskNodes: NodeDefinition<State> | readonly NodeDefinition<State>[];
  /**
   * The loop ends when the output contains this, as a word of its own: "INCOMPLETE" is not "COMPLETE". With `false` only
   * `maxIterations` ends it.
   * @default "COMPLETE"
   */
  readonly completionSignal?: string | false;
  /**
   * Where the signal is looked for. Must be pure.
   * @default what the last of the taskNodes left in `outputs`; where that is no text, the last agent's answer
   */
  readonly output?: (state: Readonly<State>, context: ExecutionContext<State>) => string;
  /**
   * How many iterations there may be; then the run goes on behind the loop. With 0 there is no such bound: the signal has to
   * come, and after 1,000 iterations the loop fails with `GRAPH_LOOP_LIMIT`.
   * @default 0
   */
  readonly maxIterations?: number;
}

/** What stands at the end of each iteration of a criteria loop. @throws CriteriaOutputError */
export function checkCriteria<State extends CriteriaLoopState>(
  id: string,
  config: Omit<CriteriaLoopConfig<State>, "maxIterations"> & {
    readonly completionSignal: string | false;
    readonly maxIterations: number | undefined;
  },
  context: ExecutionContext<State>,
): NodeResult<State> | undefined {
  const { state, feedback } = context;
  // The first node of the next iteration has refused its data and runs again: nothing was done since.
  if (feedback !== undefined) return undefined;
  const iteration = state.iteration + 1;
  const { completionSignal, maxIterations } = config;
  const criteriaComplete = completionSignal !== false && containsWord(outputOf(id, config, context), completionSignal);
  const maxIterationsReached = !criteriaComplete && maxIterations !== undefined && iteration >= maxIterations;
  const shouldContinue = !criteriaComplete && !maxIterationsReached;
  return changing<State>({ iteration, criteriaComplete, maxIterationsReached, shouldContinue });
}

function outputOf<State extends CriteriaLoopState>(
  id: string,
  { output, taskNodes }: Pick<CriteriaLoopConfig<State>, "output" | "taskNodes">,
  context: ExecutionContext<State>,
): string {
  const { state } = context;
  if (output !== undefined) return output(state, context);
  const nodes = "execute" in taskNodes ? [taskNodes] : taskNodes;
  const last = nodes.at(-1);
  for (const node of nodes.toReversed()) {
    const text = state.outputs[node.id];
    if (typeof text === "string" && (node === last || node.type === "agent")) return text;
  }
  throw new CriteriaOutputError(id, last?.id ?? "");
}

/** Whether a text contains another one that is not a part of a longer word. */
function containsWord(text: string, word: string): boolean {
  const before = /^[\p{L}\p{N}_]/u.test(word) ? "(?<![\\p{L}\\p{N}_])" : "";
  const behind = /[\p{L}\p{N}_]$/u.test(word) ? "(?![\\p{L}\\p{N}_])" : "";
  const escaped = word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  return new RegExp(before + escaped + behind, "u").test(text);
}

function changing<State extends CriteriaLoopState>(
  update: Omit<CriteriaLoopState, keyof BaseState>,
): { readonly stateUpdate: Partial<State> } {
  // The cast is true: a State has these fields, of these types.
  return { stateUpdate: update as Partial<State> };
}
