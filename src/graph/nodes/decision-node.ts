import type { BaseState } from "../annotation.ts";
import { NoRouteError } from "../errors.ts";
import { given } from "../given.ts";
import type { NodeDefinition } from "../node-definition.ts";
import type { NodeId } from "../node-id.ts";

/** Settings of a {@link decisionNode}. */
export interface DecisionNodeConfig<State extends BaseState> {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** Asked in order; the first that holds decides. Several targets run side by side. */
  readonly routes: readonly {
    readonly condition: (state: Readonly<State>) => boolean;
    readonly target: NodeId | readonly NodeId[];
  }[];
  /** Where to go when no route applies. @default a `NoRouteError` */
  readonly fallback?: NodeId;
}

/**
 * A node that goes to one of several others.
 *
 * ```ts
 * decisionNode<State>({
 *   id: "triage",
 *   routes: [{ condition: (state) => state.score >= 90, target: "ship" }],
 *   fallback: "rework",
 * });
 * ```
 */
export function decisionNode<State extends BaseState>(config: DecisionNodeConfig<State>): NodeDefinition<State> {
  const { id, routes, fallback } = config;
  return {
    id,
    type: "decision",
    ...given({ name: config.name, description: config.description }),
    targets: [...routes.flatMap((route) => route.target), ...(fallback === undefined ? [] : [fallback])],
    leavesByRoute: true,
    actsThroughServices: true,
    ...(routes.some((route) => typeof route.target !== "string") ? { join: {} } : {}),
    execute({ state }) {
      const target = routes.find((route) => route.condition(state))?.target ?? fallback;
      if (target === undefined) throw new NoRouteError(id);
      return { goto: target };
    },
  };
}
