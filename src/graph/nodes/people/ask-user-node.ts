import { given } from "../../errors/given.ts";
import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { MapPlace } from "../../model/map-place.ts";
import type { NodeDefinition, RequestSpec } from "../../model/node-definition.ts";
import { answersCheck } from "../../model/request-options.ts";
import { type OptionTable, shape } from "../../options/find-option-problems.ts";
import { aFunction, described, either, required, schema, someText, text } from "../../options/option-checks.ts";
import type { BaseState, ExactUpdate } from "../../state/annotation.ts";
import type { StandardSchema } from "../../state/standard-schema.ts";
import { THROUGH_SERVICES } from "../shared/through-services.ts";

/** The question of an {@link askUserNode}. */
export interface AskUserOptions {
  readonly question: string;
  readonly header?: string;
  /** The answers to choose from. @default any text is valid */
  readonly options?: RequestSpec["options"];
}

/** Settings of an {@link askUserNode}. */
export interface AskUserNodeConfig<State extends BaseState, Update = unknown> {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly options: AskUserOptions | ((state: Readonly<State>, context: ExecutionContext<State>) => AskUserOptions);
  /** The schema of the answer, if it is more than a choice. */
  readonly schema?: StandardSchema;
  /** Turns the answer into an update. Must be pure. @default `outputs[id] = answer` */
  readonly outputMapper?: (answer: string, state: Readonly<State>, place: MapPlace) => ExactUpdate<State, Update>;
}

const QUESTION_OPTIONS: OptionTable<AskUserOptions> = {
  question: required(someText),
  header: text,
  options: answersCheck(),
};

export const ASK_USER_NODE: NodeFactory<AskUserNodeConfig<BaseState>> = {
  name: "askUserNode",
  options: {
    id: required(someText),
    name: text,
    description: text,
    options: required(
      described(either(aFunction, shape(QUESTION_OPTIONS)), "an object with a question, or a function that makes it"),
    ),
    schema,
    outputMapper: aFunction,
  },
  advice: {
    question: ["write options: { question, … }", "options"],
    prompt: ["write options: { question, … }", "options"],
    inputMapper: ["write outputMapper, which is given the answer", "outputMapper"],
  },
};

/**
 * Asks a person and waits for the answer, for days if necessary.
 *
 * ```ts
 * askUserNode({
 *   id: "review",
 *   options: { question: "Is the plan right?", options: [{ label: "approve" }, { label: "reject" }] },
 *   outputMapper: (answer) => ({ isApproved: answer === "approve" }),
 * });
 * ```
 */
export function askUserNode<State extends BaseState, Update = unknown>(
  config: AskUserNodeConfig<State, Update>,
): NodeDefinition<State> {
  return defineNode(ASK_USER_NODE, config, makeAskUserNode);
}

function makeAskUserNode<State extends BaseState, Update>(
  config: AskUserNodeConfig<State, Update>,
): NodeDefinition<State> {
  const { id, options, schema, outputMapper } = config;
  return {
    id,
    type: "ask_user",
    ...THROUGH_SERVICES,
    ...given({ name: config.name, description: config.description, answerSchema: schema }),
    execute: (context) => ({ request: typeof options === "function" ? options(context.state, context) : options }),
    // Without a schema an answer is text; with one, the author's mapper expects its output.
    ...(outputMapper === undefined
      ? {}
      : { applyAnswer: (answer, state, place) => outputMapper(answer as string, state, place) }),
  };
}
