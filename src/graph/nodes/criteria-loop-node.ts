import { AtomicError } from "../../contracts/index.ts";
import { annotation, type BaseState } from "../annotation.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { given } from "../given.ts";
import type { NodeDefinition } from "../node-definition.ts";
import { nodeParts } from "./node-parts.ts";

/** What a {@link criteriaLoopNode} writes in the state. */
export interface CriteriaLoopState extends BaseState {
  /** Counts finished iterations. */
  readonly iteration: number;
  readonly shouldContinue: boolean;
  /** The signal was found. */
  readonly criteriaComplete: boolean;
  readonly maxIterationsReached: boolean;
}

/**
 * The fields of {@link CriteriaLoopState}, for a state of one's own.
 *
 * ```ts
 * const State = defineState({ ...criteriaLoopFields, goal: annotation("") });
 * ```
 */
export const criteriaLoopFields = {
  iteration: annotation(0),
  shouldContinue: annotation(false),
  criteriaComplete: annotation(false),
  maxIterationsReached: annotation(false),
};

/** Settings of a {@link criteriaLoopNode}. */
export interface CriteriaLoopConfig<State extends CriteriaLoopState> {
  /** @default "criteria-loop" */
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  /** What is done in each iteration, in this order. */
  readonly taskNodes: NodeDefinition<State> | readonly NodeDefinition<State>[];
  /** The loop ends when the output contains this, as a word of its own: "INCOMPLETE" is not "COMPLETE". @default "COMPLETE" */
  readonly completionSignal?: string;
  /** Where the signal is looked for. Must be pure. @default what the last of the taskNodes left in `outputs` */
  readonly output?: (state: Readonly<State>) => string;
  /** How many iterations there may be; then the run goes on behind the loop. @default 100 */
  readonly maxIterations?: number;
}

/** The last node of a criteria loop left no text to look for the signal in. */
export class CriteriaOutputError extends AtomicError {
  constructor(
    readonly loopId: string,
    readonly lastNodeId: string,
  ) {
    super(
      "CRITERIA_NO_OUTPUT",
      `The loop "${loopId}" looks for its completionSignal in outputs["${lastNodeId}"], which is not a text. Leave out that node's outputMapper, or say with "output" where the text is.`,
    );
  }
}

/**
 * A node that repeats others until the agent says that it is done.
 *
 * ```ts
 * criteriaLoopNode<State>({
 *   taskNodes: [agentNode({ id: "work", buildMessage: "Go on with the work. Say COMPLETE when nothing is left." })],
 *   maxIterations: 20,
 * });
 * ```
 */
export function criteriaLoopNode<State extends CriteriaLoopState>(
  config: CriteriaLoopConfig<State>,
): NodeDefinition<State> {
  const { id = "criteria-loop", name = "Begin the loop", description, maxIterations = 100 } = config;
  const { completionSignal = "COMPLETE" } = config;
  const work = nodeParts(config.taskNodes);
  const check: NodeDefinition<State> = {
    id: `${id}-check`,
    type: "tool",
    name: "Look for the completion signal",
    targets: [],
    actsThroughServices: true,
    execute({ state, feedback }) {
      // The first node of the next iteration has refused its data and runs again: nothing was done since.
      if (feedback !== undefined) return;
      const iteration = state.iteration + 1;
      const criteriaComplete = containsWord(outputOf(id, config, state), completionSignal);
      const maxIterationsReached = !criteriaComplete && iteration >= maxIterations;
      const shouldContinue = !criteriaComplete && !maxIterationsReached;
      return changing<State>({ iteration, criteriaComplete, maxIterationsReached, shouldContinue });
    },
  };
  return {
    id,
    type: "tool",
    name,
    ...given({ description }),
    targets: [],
    actsThroughServices: true,
    problems: [
      ...(work.length === 0 ? ["has no taskNodes; give it what is to be repeated"] : []),
      ...(completionSignal === "" ? ["has an empty completionSignal, which every output contains"] : []),
    ],
    execute: () =>
      changing<State>({ iteration: 0, shouldContinue: true, criteriaComplete: false, maxIterationsReached: false }),
    parts: [
      {
        kind: "loop",
        id: `${id}-iterations`,
        until: ({ shouldContinue }) => !shouldContinue,
        maxIterations,
        onMaxIterations: "continue",
        body: { steps: [...work, ...nodeParts(check)] },
      },
    ],
  };
}

function outputOf<State extends CriteriaLoopState>(
  id: string,
  { output, taskNodes }: CriteriaLoopConfig<State>,
  state: ExecutionContext<State>["state"],
): string {
  if (output !== undefined) return output(state);
  const lastNodeId = ("execute" in taskNodes ? taskNodes : taskNodes.at(-1))?.id ?? "";
  const text = state.outputs[lastNodeId];
  if (typeof text !== "string") throw new CriteriaOutputError(id, lastNodeId);
  return text;
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
