import { given } from "../../errors/given.ts";
import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { NodeDefinition, NodePart } from "../../model/node-definition.ts";
import { aFunction, required, someText, text, wholeNumber } from "../../options/option-checks.ts";
import { annotation } from "../../state/annotation.ts";
import { nodeParts, taskNodes, UNBOUNDED_ITERATIONS } from "../shared/node-parts.ts";
import { THROUGH_SERVICES } from "../shared/through-services.ts";
import type { CriteriaLoopConfig, CriteriaLoopState } from "./check-criteria.ts";
import { checkCriteria } from "./check-criteria.ts";

/**
 * The fields of {@link CriteriaLoopState}, for a custom state.
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

export const CRITERIA_LOOP_NODE: NodeFactory<CriteriaLoopConfig<CriteriaLoopState>> = {
  name: "criteriaLoopNode",
  options: {
    id: someText,
    name: text,
    description: text,
    taskNodes: required(taskNodes, "give it the nodes to repeat"),
    completionSignal: {
      expected: "a text that is not empty, or false",
      accepts: (value) => value === false || someText.accepts(value),
    },
    output: aFunction,
    maxIterations: wholeNumber,
  },
};

/** The state at the start of every loop. */
const BEGINNING = { iteration: 0, shouldContinue: true, criteriaComplete: false, maxIterationsReached: false };

/**
 * A node that repeats others until the agent says that it is done.
 *
 * ```ts
 * criteriaLoopNode({
 *   taskNodes: [agentNode({ id: "work", buildMessage: "Go on with the work. Say COMPLETE when nothing is left." })],
 *   maxIterations: 20,
 * });
 * ```
 */
export function criteriaLoopNode<State extends CriteriaLoopState>(
  config: CriteriaLoopConfig<State>,
): NodeDefinition<State> {
  return defineNode(CRITERIA_LOOP_NODE, config, makeCriteriaLoopNode);
}

function makeCriteriaLoopNode<State extends CriteriaLoopState>(
  config: CriteriaLoopConfig<State>,
): NodeDefinition<State> {
  const { id = "criteria-loop", name = "Begin the loop", description, completionSignal = "COMPLETE" } = config;
  const maxIterations = config.maxIterations === 0 ? undefined : config.maxIterations;
  const work = nodeParts(config.taskNodes).map(keepingReply);
  const check: NodeDefinition<State> = {
    id: `${id}-check`,
    type: "tool",
    name: "Look for the completion signal",
    ...THROUGH_SERVICES,
    async execute(context) {
      return checkCriteria(id, { ...config, completionSignal, maxIterations }, context);
    },
  };
  return {
    id,
    type: "tool",
    name,
    ...given({ description }),
    ...THROUGH_SERVICES,
    problems:
      completionSignal === false && maxIterations === undefined
        ? ["has no completionSignal and no maxIterations; give it one of them, or it never ends"]
        : [],
    stateFields: { names: Object.keys(criteriaLoopFields), from: "criteriaLoopFields" },
    // The cast is true: a State has these fields, of these types.
    execute: () => ({ stateUpdate: BEGINNING as Partial<State> }),
    parts: [
      {
        kind: "loop",
        id: `${id}-iterations`,
        until: ({ shouldContinue }) => !shouldContinue,
        maxIterations: maxIterations ?? UNBOUNDED_ITERATIONS,
        onMaxIterations: maxIterations === undefined ? "fail" : "continue",
        body: { steps: [...work, ...nodeParts(check)] },
      },
    ],
  };
}

/** A node of the loop that keeps its answer in `outputs`, so the loop can search it whatever the `outputMapper` returns. */
function keepingReply<State extends CriteriaLoopState>(part: NodePart<State>): NodePart<State> {
  if (part.kind !== "node" || part.node?.keepsReply !== false) return part;
  return { kind: "node", node: { ...part.node, keepsReply: true } };
}
