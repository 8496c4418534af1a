import { given } from "../../errors/given.ts";
import { type Merge, PARALLEL_ADVICE } from "../../model/builder-config.ts";
import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { JoinStrategy } from "../../model/join-strategy.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import type { NodeId } from "../../model/node-id.ts";
import { listOf } from "../../options/find-option-problems.ts";
import {
  aFunction,
  described,
  either,
  strategy as joinStrategy,
  node,
  required,
  someText,
  text,
} from "../../options/option-checks.ts";
import type { BaseState } from "../../state/annotation.ts";

/** Settings of a {@link parallelNode}. */
export interface ParallelNodeConfig<State extends BaseState, Update = unknown> {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** Nodes, or the ids of nodes that come after this one in the same chain. Each runs once. */
  readonly branches: readonly (NodeId | NodeDefinition<State>)[];
  /** @default "all" */
  readonly strategy?: JoinStrategy;
  /** Combines the branches' final states, by the ids of their nodes, into one update. Must be pure. */
  readonly merge?: Merge<State, Update>;
}

export const PARALLEL_NODE: NodeFactory<ParallelNodeConfig<BaseState>> = {
  name: "parallelNode",
  options: {
    id: required(someText),
    name: text,
    description: text,
    branches: required(
      listOf(
        described(either(someText, node), "a node, or the id of one"),
        "a list with at least one node or id of a node",
        { min: 1 },
      ),
    ),
    strategy: joinStrategy,
    merge: aFunction,
  },
  advice: PARALLEL_ADVICE,
};

/**
 * A node that runs others in parallel; the run continues after the last of them. Use `GraphBuilder.parallel()` for
 * branches of several steps.
 *
 * ```ts
 * parallelNode({ id: "gather", branches: [searchCode, searchTests, searchDocs], strategy: "all" });
 * ```
 */
export function parallelNode<State extends BaseState = BaseState, Update = unknown>(
  config: ParallelNodeConfig<State, Update>,
): NodeDefinition<State> {
  return defineNode(PARALLEL_NODE, config, makeParallelNode);
}

function makeParallelNode<State extends BaseState, Update>(
  config: ParallelNodeConfig<State, Update>,
): NodeDefinition<State> {
  const { id, branches = [], strategy, merge } = config;
  const targets = branches.map((branch) => (typeof branch === "string" ? branch : branch.id));
  const nodes = branches.filter((branch) => typeof branch !== "string");
  return {
    id,
    type: "parallel",
    ...given({ name: config.name, description: config.description }),
    targets,
    leavesByRoute: true,
    actsThroughServices: true,
    parts: nodes.map((branch) => ({ kind: "node", node: branch })),
    join: given({ strategy, merge }),
    execute: () => ({ goto: targets }),
  };
}
