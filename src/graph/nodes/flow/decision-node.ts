import { explainStateHabit } from "../../decide/explain-state-habit.ts";
import { NoRouteError } from "../../errors/errors.ts";
import { given } from "../../errors/given.ts";
import { immediate } from "../../errors/promise-returned-error.ts";
import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import type { NodeId } from "../../model/node-id.ts";
import { listOf, type OptionTable, shape } from "../../options/find-option-problems.ts";
import { aFunction, described, either, required, someText, text } from "../../options/option-checks.ts";
import type { BaseState } from "../../state/annotation.ts";

/** Settings of a {@link decisionNode}. */
export interface DecisionNodeConfig<State extends BaseState> {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** Checked in order; the first match decides. Several targets run in parallel. */
  readonly routes: readonly {
    readonly condition: (state: Readonly<State>, context: ExecutionContext<State>) => boolean;
    readonly target: NodeId | readonly NodeId[];
  }[];
  /** Where to go if no route matches. @default a `NoRouteError` */
  readonly fallback?: NodeId;
}

const ROUTE_OPTIONS: OptionTable<DecisionNodeConfig<BaseState>["routes"][number]> = {
  condition: required(aFunction, "give it a function of the state"),
  target: required(
    either(described(someText, "the id of a node"), listOf(someText, "a list of ids", { min: 1 })),
    "give it the id of a node",
  ),
};

export const DECISION_NODE: NodeFactory<DecisionNodeConfig<BaseState>> = {
  name: "decisionNode",
  options: {
    id: required(someText),
    name: text,
    description: text,
    routes: required(
      listOf(shape(ROUTE_OPTIONS, { expected: "an object with a condition and a target" }), "a list of routes"),
      "give it a list of { condition, target }",
    ),
    fallback: described(someText, "the id of a node"),
  },
  advice: { condition: ["write routes: [{ condition, target }], whose conditions are checked in order", "routes"] },
};

/**
 * A node that continues at one of several others.
 *
 * ```ts
 * decisionNode({
 *   id: "triage",
 *   routes: [{ condition: (state) => state.score >= 90, target: "ship" }],
 *   fallback: "rework",
 * });
 * ```
 */
export function decisionNode<State extends BaseState>(config: DecisionNodeConfig<State>): NodeDefinition<State> {
  return defineNode(DECISION_NODE, config, makeDecisionNode);
}

function makeDecisionNode<State extends BaseState>(config: DecisionNodeConfig<State>): NodeDefinition<State> {
  const { id, routes = [], fallback } = config;
  return {
    id,
    type: "decision",
    ...given({ name: config.name, description: config.description }),
    targets: [...routes.flatMap((route) => route.target), ...(fallback === undefined ? [] : [fallback])],
    leavesByRoute: true,
    actsThroughServices: true,
    ...(routes.some((route) => typeof route.target !== "string") ? { join: {} } : {}),
    execute(context) {
      const target = routes.find(({ condition }) => holds(condition, context))?.target ?? fallback;
      if (target === undefined) throw new NoRouteError(id);
      return { goto: target };
    },
  };
}

function holds<State extends BaseState>(
  condition: DecisionNodeConfig<State>["routes"][number]["condition"],
  context: ExecutionContext<State>,
): boolean {
  try {
    return immediate(condition(context.state, context), "condition", context.nodeId);
  } catch (error) {
    throw explainStateHabit(error, context.state);
  }
}
