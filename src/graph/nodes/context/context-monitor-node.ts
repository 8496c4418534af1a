import { given } from "../../errors/given.ts";
import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import { type OptionTable, shape } from "../../options/find-option-problems.ts";
import { aFunction, fraction, oneOf, someText, text } from "../../options/option-checks.ts";
import type { BaseState } from "../../state/annotation.ts";
import { type ContextThresholds, resolveThresholds } from "../agents/context-thresholds.ts";
import { THROUGH_SERVICES } from "../shared/through-services.ts";
import { contextAction, session } from "./clear-context-node.ts";
import type { ContextMonitorNodeConfig } from "./monitor-context.ts";
import { monitorContext } from "./monitor-context.ts";

const THRESHOLDS: OptionTable<ContextThresholds> = { compaction: fraction, exhaustion: fraction };

export const CONTEXT_MONITOR_NODE: NodeFactory<ContextMonitorNodeConfig<BaseState>> = {
  name: "contextMonitorNode",
  options: {
    id: someText,
    name: text,
    description: text,
    session,
    thresholds: shape(THRESHOLDS),
    action: contextAction,
    onExhaustion: oneOf(["recreate", "warn", "fail"]),
    onUsage: aFunction,
    outputMapper: aFunction,
  },
};

/**
 * A node that checks how full the context window of a session is, reports it to subscribers of the run, and acts when a
 * threshold is reached.
 *
 * ```ts
 * contextMonitorNode({ session: "implement", thresholds: { compaction: 0.5 }, onExhaustion: "fail" });
 * ```
 */
export function contextMonitorNode<State extends BaseState, Item = unknown, Update = unknown>(
  config: ContextMonitorNodeConfig<State, Item, Update>,
): NodeDefinition<State, Item> {
  return defineNode(CONTEXT_MONITOR_NODE, config, makeContextMonitorNode);
}

function makeContextMonitorNode<State extends BaseState, Item, Update>(
  config: ContextMonitorNodeConfig<State, Item, Update>,
): NodeDefinition<State, Item> {
  const { id = "context-monitor", name = "Look at the context window", description } = config;
  const { compaction, exhaustion } = resolveThresholds(config.thresholds);
  return {
    id,
    type: "tool",
    ...THROUGH_SERVICES,
    name,
    ...given({ description }),
    problems:
      compaction > 0 && compaction <= exhaustion && exhaustion <= 1
        ? []
        : [`has the thresholds ${compaction} and ${exhaustion}; they must ascend, above 0 and up to 1`],
    async execute(context) {
      return await monitorContext(id, config, context);
    },
  };
}
