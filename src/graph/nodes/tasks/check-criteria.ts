import { AtomicError } from "../../../contracts/index.ts";
import { immediate } from "../../errors/promise-returned-error.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { NodeDefinition, NodeResult } from "../../model/node-definition.ts";
import type { BaseState } from "../../state/annotation.ts";

/** The last node of a criteria loop left no text that could contain the signal. */
export class CriteriaOutputError extends AtomicError {
  constructor(
    readonly loopId: string,
    readonly lastNodeId: string,
  ) {
    super(
      "CRITERIA_NO_OUTPUT",
      `The loop "${loopId}" looks for its completionSignal in outputs["${lastNodeId}"], which is not a text, and no agent before it answered. Set "output" to a function that returns the text.`,
    );
  }
}

/** The fields that a `criteriaLoopNode` writes. */
export interface CriteriaLoopState extends BaseState {
  /** The number of finished iterations. */
  readonly iteration: number;
  readonly shouldContinue: boolean;
  /** Whether the signal was found. */
  readonly criteriaComplete: boolean;
  readonly maxIterationsReached: boolean;
}

/** Settings of a `criteriaLoopNode`. */
export interface CriteriaLoopConfig<State extends CriteriaLoopState> {
  /** @default "criteria-loop" */
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  /** The nodes of each iteration, in order. */
  readonly taskNodes: NodeDefinition<State> | readonly NodeDefinition<State>[];
  /**
   * The loop ends when the output contains this as a separate word: "INCOMPLETE" does not match "COMPLETE". With `false`,
   * only `maxIterations` ends it.
   * @default "COMPLETE"
   */
  readonly completionSignal?: string | false;
  /**
   * Returns the text to search for the signal. Must be pure.
   * @default what the last of the taskNodes left in `outputs`; if that is not a text, the last agent's answer
   */
  readonly output?: (state: Readonly<State>, context: ExecutionContext<State>) => string;
  /**
   * The most iterations; then the run continues after the loop. With 0 the signal has to come: after 1,000 iterations the
   * loop fails with `GRAPH_LOOP_LIMIT`.
   * @default 0
   */
  readonly maxIterations?: number;
}

/** Ends each iteration of a criteria loop. @throws CriteriaOutputError */
export function checkCriteria<State extends CriteriaLoopState>(
  id: string,
  config: Omit<CriteriaLoopConfig<State>, "maxIterations"> & {
    readonly completionSignal: string | false;
    readonly maxIterations: number | undefined;
  },
  context: ExecutionContext<State>,
): NodeResult<State> | undefined {
  const { state, feedback } = context;
  // The first node of the next iteration rejected its input, so this node runs again: nothing has happened since.
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
  if (output !== undefined) return immediate(output(state, context), "output", id);
  const nodes = "execute" in taskNodes ? [taskNodes] : taskNodes;
  const last = nodes.at(-1);
  for (const node of nodes.toReversed()) {
    const text = state.outputs[node.id];
    if (typeof text === "string" && (node === last || node.type === "agent")) return text;
  }
  throw new CriteriaOutputError(id, last?.id ?? "");
}

/** Whether a text contains another one as a separate word. */
function containsWord(text: string, word: string): boolean {
  const before = /^[\p{L}\p{N}_]/u.test(word) ? "(?<![\\p{L}\\p{N}_])" : "";
  const after = /[\p{L}\p{N}_]$/u.test(word) ? "(?![\\p{L}\\p{N}_])" : "";
  const escaped = word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  return new RegExp(before + escaped + after, "u").test(text);
}

function changing<State extends CriteriaLoopState>(
  update: Omit<CriteriaLoopState, keyof BaseState>,
): { readonly stateUpdate: Partial<State> } {
  // The cast is true: a State has these fields, of these types.
  return { stateUpdate: update as Partial<State> };
}
