import type { Json } from "../../../contracts/index.ts";
import { given } from "../../errors/given.ts";
import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { MapPlace } from "../../model/map-place.ts";
import type { NodeDefinition, RequestSpec } from "../../model/node-definition.ts";
import { answersCheck, autoApproveCheck } from "../../model/request-options.ts";
import type { OptionTable } from "../../options/find-option-problems.ts";
import { aFunction, required, schema, someText, text, textOrFunction } from "../../options/option-checks.ts";
import type { BaseState, ExactUpdate } from "../../state/annotation.ts";
import type { StandardSchema } from "../../state/standard-schema.ts";
import { resolveText } from "../shared/resolve-text.ts";
import { THROUGH_SERVICES } from "../shared/through-services.ts";

/** Settings of a pause for a person. */
export interface WaitConfig<State extends BaseState = BaseState, Item = unknown, Update = unknown> {
  /** The question, or a function of the context, which has the `state`. @default "Continue?" */
  readonly prompt?: string | ((context: ExecutionContext<State, Item>) => string);
  /** The answers to choose from. @default yes and no, unless `schema` is given */
  readonly options?: RequestSpec["options"];
  /** The schema of the answer, if it is more than a choice. */
  readonly schema?: StandardSchema;
  /** Answers the question after this many milliseconds: with `value`, else with the first option. */
  readonly autoApprove?: { readonly afterMs: number; readonly value?: Json };
  /** Turns the answer into an update. Must be pure. @default `outputs[id] = answer` */
  readonly inputMapper?: (input: string, state: Readonly<State>, place: MapPlace) => ExactUpdate<State, Update>;
}

/** Settings of {@link waitNode}. */
export interface WaitNodeConfig<State extends BaseState = BaseState, Item = unknown, Update = unknown>
  extends WaitConfig<State, Item, Update> {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
}

/** The options of {@link WaitConfig}. */
const WAIT_OPTIONS: OptionTable<WaitConfig> = {
  prompt: textOrFunction,
  options: answersCheck(),
  schema,
  autoApprove: autoApproveCheck(),
  inputMapper: aFunction,
};

export const WAIT_NODE: NodeFactory<WaitNodeConfig> = {
  name: "waitNode",
  options: { ...WAIT_OPTIONS, id: required(someText), name: text, description: text },
  advice: { outputMapper: ["write inputMapper, which is given the answer", "inputMapper"] },
};

const YES_OR_NO: NonNullable<RequestSpec["options"]> = [{ label: "yes" }, { label: "no" }];

/**
 * Pauses the run until a person answers. The process may end meanwhile; the answer can come days later, from another
 * process. The run continues after any answer, `no` too: a condition has to read it.
 *
 * ```ts
 * waitNode({ id: "approve", prompt: "Ship it?", inputMapper: (answer) => ({ isApproved: answer === "yes" }) });
 * ```
 */
export function waitNode<State extends BaseState = BaseState, Item = unknown, Update = unknown>(
  config: WaitNodeConfig<State, Item, Update>,
): NodeDefinition<State, Item> {
  return defineNode(WAIT_NODE, config, makeWaitNode);
}

function makeWaitNode<State extends BaseState, Item, Update>(
  config: WaitNodeConfig<State, Item, Update>,
): NodeDefinition<State, Item> {
  const { id, prompt = "Continue?", schema, autoApprove, inputMapper } = config;
  const options = config.options ?? (schema === undefined ? YES_OR_NO : undefined);
  const firstOption = options?.[0]?.label;
  return {
    id,
    type: "wait",
    ...THROUGH_SERVICES,
    ...given({ name: config.name, description: config.description, answerSchema: schema }),
    execute: (context) => ({
      request: {
        question: resolveText(typeof prompt === "function" ? () => prompt(context) : prompt, context, "prompt"),
        ...given({
          options,
          autoApprove: autoApprove && {
            afterMs: autoApprove.afterMs,
            value: autoApprove.value ?? firstOption ?? "yes",
          },
        }),
      },
    }),
    // Without a schema an answer is text; with one, the author's mapper expects its output.
    ...(inputMapper === undefined
      ? {}
      : { applyAnswer: (answer, state, place) => inputMapper(answer as string, state, place) }),
  };
}
