import { AtomicError, type JsonObject } from "../../../contracts/index.ts";
import { isGraphCode } from "../../compile/graph-code.ts";
import { takeFields } from "../../decide/assert-result.ts";
import { InvalidServiceError, MissingServiceError, UnknownSubgraphError } from "../../errors/errors.ts";
import { given } from "../../errors/given.ts";
import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { ExecutionContext, ResolveWorkflowOptions } from "../../model/execution-context.ts";
import type { MapPlace } from "../../model/map-place.ts";
import { type NodeDefinition, type RetryConfig, retry } from "../../model/node-definition.ts";
import { aFunction, described, either, node, required, someText, text } from "../../options/option-checks.ts";
import { showValue } from "../../options/show-value.ts";
import type { BaseState, ExactUpdate, StateUpdate } from "../../state/annotation.ts";
import { isEqualValue } from "../../state/is-equal-value.ts";
import { SESSIONS_FIELD } from "../../state/state-rules.ts";
import { ENGINE_FIELDS, type StateChange } from "../../state/state-update.ts";
import { toolRetry } from "../shared/agent-retry.ts";
import { mapResult } from "../shared/map-result.ts";
import { THROUGH_SERVICES } from "../shared/through-services.ts";
import { outputOf } from "../tools/tool-node.ts";

/**
 * A graph that can be a step of another one. A compiled graph runs within the same run: its nodes are in the same journal,
 * and its questions and failures pass through. Anything else with an `execute` runs as one step.
 */
export interface CompiledSubgraph<SubState extends BaseState = BaseState> {
  /** Present in compiled graphs. */
  readonly code?: unknown;
  execute(input: Partial<SubState>): Promise<SubState>;
}

/** A graph, or the name of a workflow in the run's services. */
export type SubgraphRef<SubState extends BaseState = BaseState> = CompiledSubgraph<SubState> | string;

/** The input fields of a subgraph: any, if only its name is known. */
export type SubgraphInput<SubState extends BaseState> = BaseState extends SubState
  ? Readonly<Record<string, unknown>>
  : StateUpdate<SubState>;

/** Settings of a {@link subgraphNode}. */
export interface SubgraphNodeConfig<State extends BaseState, SubState extends BaseState, Update = unknown> {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** The model of the subgraph's agent nodes that set none. @default the subgraph's `defaultModel`, else the run's */
  readonly model?: string;
  readonly subgraph: SubgraphRef<SubState>;
  /**
   * The input of the subgraph.
   * @default the values of the fields that it also declares; its own defaults for the others
   */
  readonly inputMapper?: (state: Readonly<State>, context: ExecutionContext<State>) => SubgraphInput<SubState>;
  /** Turns the subgraph's final state into an update. Must be pure. @default `outputs[id] = subState` */
  readonly outputMapper?: (
    subState: Readonly<SubState>,
    state: Readonly<State>,
    place: MapPlace,
  ) => ExactUpdate<State, Update>;
  /**
   * The config for a workflow given by name: a JSON object that overrides its `defaultConfig`. A resumed run builds it with
   * the same.
   * @default the workflow's `defaultConfig`
   */
  readonly config?: JsonObject | ((state: Readonly<State>, context: ExecutionContext<State>) => JsonObject);
  /** For finding the subgraph; its nodes have their own. */
  readonly retry?: RetryConfig;
}

export const SUBGRAPH_NODE: NodeFactory<SubgraphNodeConfig<BaseState, BaseState>> = {
  name: "subgraphNode",
  options: {
    id: required(someText),
    name: text,
    description: text,
    model: text,
    subgraph: required(described(either(someText, node), "a compiled graph, or the name of a workflow")),
    inputMapper: aFunction,
    outputMapper: aFunction,
    config: either({ expected: "an object of JSON values", accepts: isJsonObject }, aFunction),
    retry,
  },
};

/**
 * A node that runs another graph, by value or by the name of a workflow.
 *
 * ```ts
 * subgraphNode({
 *   id: "research",
 *   subgraph: research,
 *   inputMapper: (state) => ({ topic: state.topic }),
 *   outputMapper: (research) => ({ findings: research.findings }),
 * });
 * ```
 */
export function subgraphNode<
  State extends BaseState = BaseState,
  SubState extends BaseState = BaseState,
  Update = unknown,
>(config: SubgraphNodeConfig<State, SubState, Update>): NodeDefinition<State> {
  return defineNode(SUBGRAPH_NODE, config, makeSubgraphNode<State, SubState, Update>);
}

function makeSubgraphNode<State extends BaseState, SubState extends BaseState, Update>(
  config: SubgraphNodeConfig<State, SubState, Update>,
): NodeDefinition<State> {
  const { id, inputMapper, outputMapper } = config;
  const isUnused = config.config !== undefined && config.subgraph !== undefined && typeof config.subgraph !== "string";
  return {
    id,
    type: "subgraph",
    ...THROUGH_SERVICES,
    ...given({
      name: config.name,
      description: config.description,
      model: config.model,
      retry: toolRetry(config.retry),
    }),
    ...(isUnused
      ? { problems: ["has a config, which only a workflow given by name can use; name one as its subgraph"] }
      : {}),
    // The casts of this file are true: a subgraph runs with states of its own type, and its fields are named by it.
    subgraph: {
      ref: config.subgraph as SubgraphRef,
      ...given({ config: typeof config.config === "function" ? ("in-run" as const) : config.config }),
      finish: (subState, state, place) =>
        outputMapper === undefined
          ? outputOf<State>(id, subState)
          : outputMapper(subState as unknown as SubState, state, place),
    },
    async execute(context) {
      const wanted = given({ config: takeConfig(config.config, context) });
      const subgraph = await resolveSubgraph(config.subgraph as SubgraphRef, { nodeId: id, wanted }, context);
      const input =
        inputMapper === undefined
          ? sharedFields(context.state, subgraph)
          : takeFields(id, inputMapper(context.state, context), "inputMapper");
      if (subgraph.code === undefined) {
        const subState = await subgraph.execute(input as Partial<BaseState>);
        const update = outputMapper && mapResult(outputMapper, subState as SubState, context);
        return { stateUpdate: update ?? outputOf<State>(id, subState) };
      }
      const name = typeof config.subgraph === "string" ? { name: config.subgraph, ...wanted } : {};
      return { enter: { code: subgraph.code, input, ...name } };
    },
  };
}

/** The config for a node's workflow is not a JSON object. */
export class SubgraphConfigError extends AtomicError {
  /** A retry would get the same config. */
  readonly isRetryable = false;

  constructor(readonly nodeId: string) {
    super(
      "GRAPH_SUBGRAPH_CONFIG",
      `The config of "${nodeId}" is not a JSON object, and the journal has to store it for a resume. Use strings, numbers, booleans, null, and arrays and objects of them.`,
    );
  }
}

/** @throws SubgraphConfigError, and what the author's function throws */
function takeConfig<State extends BaseState>(
  config: SubgraphNodeConfig<State, BaseState>["config"],
  context: ExecutionContext<State>,
): JsonObject | undefined {
  const value: unknown = typeof config === "function" ? config(context.state, context) : config;
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw new SubgraphConfigError(context.nodeId);
  // A copy: the author may change the object later.
  const copy: JsonObject = JSON.parse(JSON.stringify(value));
  // The journal has it, and a resume builds the workflow from that.
  return context.services.redactor?.value(copy) ?? copy;
}

function isJsonObject(value: unknown): value is JsonObject {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
  try {
    // As everywhere, undefined counts as missing.
    return isEqualValue(JSON.parse(JSON.stringify(value)), given(value));
  } catch {
    // A cycle, or a bigint.
    return false;
  }
}

/** The fields that a subgraph has, too: all, if it has no schema. `outputs` is not passed on. */
function sharedFields(state: object, { code }: CompiledSubgraph): StateChange {
  const rules = isGraphCode(code) ? code.rules : undefined;
  const isShared = (name: string): boolean =>
    rules === undefined || rules.isOpen ? !BASE_FIELDS.has(name) : Object.hasOwn(rules.fields, name);
  return Object.fromEntries(Object.entries(state).filter(([name, value]) => value !== undefined && isShared(name)));
}

/** Fields that each state has for itself. */
const BASE_FIELDS: ReadonlySet<string> = new Set([...ENGINE_FIELDS, "outputs", SESSIONS_FIELD]);

async function resolveSubgraph(
  ref: SubgraphRef,
  { nodeId, wanted }: { readonly nodeId: string; readonly wanted: ResolveWorkflowOptions },
  { services }: Pick<ExecutionContext, "services">,
): Promise<CompiledSubgraph> {
  if (typeof ref !== "string") return ref;
  if (services.workflows === undefined) throw new MissingServiceError("workflows", nodeId);
  const found = await services.workflows(ref, wanted);
  if (found === null || found === undefined) throw new UnknownSubgraphError(ref, nodeId);
  if (!node.accepts(found)) {
    const problem = `returned ${showValue(found)} for the workflow "${ref}"; it must return a compiled graph`;
    throw new InvalidServiceError("workflows", problem);
  }
  return found;
}
