import { AtomicError, messageOf } from "../../../contracts/index.ts";
import { MissingServiceError } from "../../errors/errors.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { NodeDefinition, NodeResult } from "../../model/node-definition.ts";
import type { SubagentResult } from "../../model/subagent-runner.ts";
import type { BaseState } from "../../state/annotation.ts";
import { nameNode } from "../agents/agent-node.ts";
import { AGENT_RETRY, NOT_THE_WORKS_FAULT } from "../shared/agent-retry.ts";
import { THROUGH_SERVICES } from "../shared/through-services.ts";
import type { SubagentSettings } from "./delegate.ts";
import { mergeApart } from "./work-apart.ts";

/** A sub-agent's result under its key, as `outputs` keeps it until the merge. */
interface KeptResult {
  readonly key: string;
  readonly result: SubagentResult;
}

/** The update that keeps the results for {@link mergingNode}. */
export function keepResults<State extends BaseState>(
  id: string,
  results: ReadonlyMap<string, SubagentResult>,
): Partial<State> {
  const kept: readonly KeptResult[] = [...results].map(([key, result]) => ({ key, result }));
  // The cast is true: every state has `outputs`, which takes any value by name.
  return { outputs: { [id]: kept } } as Partial<State>;
}

/** Settings of {@link mergingNode}. */
export interface MergingOptions<State extends BaseState> {
  /** That of the node before. */
  readonly id: string;
  readonly branches: readonly { readonly key: string; readonly settings: SubagentSettings<State> }[];
  /** Whether the first work that cannot be merged fails the node. */
  readonly failFast: boolean;
  /** Makes the update of the results. */
  readonly finish: (results: ReadonlyMap<string, SubagentResult>, context: ExecutionContext<State>) => Partial<State>;
}

/** The last node of a graph has the run's output under its own id. */
function asOwnOutput<State extends BaseState>(update: Partial<State>, id: string): Partial<State> {
  const { outputs } = update;
  return outputs === undefined ? update : { ...update, outputs: { ...outputs, [nameNode(id, "merge")]: outputs[id] } };
}

/**
 * The node after sub-agents in worktrees: merges their branches one after another, in the order of the agents, and then calls
 * the author's `merge`. A sub-agent whose work could not be merged counts as failed there.
 */
export function mergingNode<State extends BaseState>({
  id,
  branches,
  failFast,
  finish,
}: MergingOptions<State>): NodeDefinition<State> {
  return {
    id: nameNode(id, "merge"),
    type: "tool",
    name: "Merge the worktrees",
    retry: AGENT_RETRY,
    ...THROUGH_SERVICES,
    async execute(context): Promise<NodeResult<State>> {
      // The cast is true: the node before wrote this value.
      const kept = (context.state.outputs[id] ?? []) as readonly KeptResult[];
      const results = new Map<string, SubagentResult>();
      let isPassed = true;
      for (const { key, result } of kept) {
        const settings = branches.find((branch) => branch.key === key)?.settings;
        const merged = settings === undefined ? result : await mergeResult(result, settings, { context, failFast });
        isPassed &&= merged.success === result.success;
        results.set(key, merged);
      }
      return { stateUpdate: asOwnOutput(finish(results, context), id), isPassed };
    },
  };
}

/** The result after the merge of its worktree. @throws as `mergeApart`, with `failFast` */
async function mergeResult<State extends BaseState>(
  result: SubagentResult,
  settings: SubagentSettings<State>,
  { context, failFast }: { readonly context: ExecutionContext<State>; readonly failFast: boolean },
): Promise<SubagentResult> {
  if (!result.success || result.worktree === undefined) return result;
  try {
    await mergeApart(result.worktree, settings, context);
    return result;
  } catch (thrown) {
    context.signal.throwIfAborted();
    const isOfAll = thrown instanceof AtomicError && NOT_THE_WORKS_FAULT.has(thrown.code);
    if (failFast || isOfAll || thrown instanceof MissingServiceError) throw thrown;
    const error = messageOf(thrown);
    context.emit({ type: "log", message: error });
    const { output, toolUses, durationMs } = result;
    return { success: false, error, output, toolUses, durationMs };
  }
}
