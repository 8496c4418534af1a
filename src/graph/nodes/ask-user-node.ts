import type { BaseState } from "../annotation.ts";
import { given } from "../given.ts";
import type { NodeDefinition, RequestSpec } from "../node-definition.ts";
import type { StandardSchema } from "../standard-schema.ts";
import { THROUGH_SERVICES } from "./through-services.ts";

/** The question of an {@link askUserNode}. */
export interface AskUserOptions {
  readonly question: string;
  readonly header?: string;
  /** The answers to choose from; without them any text is taken. */
  readonly options?: RequestSpec["options"];
}

/** Settings of an {@link askUserNode}. */
export interface AskUserNodeConfig<State extends BaseState> {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly options: AskUserOptions | ((state: Readonly<State>) => AskUserOptions);
  /** The shape of the answer, where it is more than a choice. */
  readonly schema?: StandardSchema;
  /** Turns the answer into an update. Must be pure. @default `outputs[id] = answer` */
  readonly outputMapper?: (answer: string, state: Readonly<State>) => Partial<State>;
}

/**
 * Asks a person and waits for the answer, for days if need be.
 *
 * ```ts
 * askUserNode<State>({
 *   id: "review",
 *   options: { question: "Is the plan right?", options: [{ label: "approve" }, { label: "reject" }] },
 *   outputMapper: (answer) => ({ isApproved: answer === "approve" }),
 * });
 * ```
 */
export function askUserNode<State extends BaseState>(config: AskUserNodeConfig<State>): NodeDefinition<State> {
  const { id, options, schema, outputMapper } = config;
  return {
    id,
    type: "ask_user",
    ...THROUGH_SERVICES,
    ...given({ name: config.name, description: config.description, answerSchema: schema }),
    execute: ({ state }) => ({ request: typeof options === "function" ? options(state) : options }),
    // Without a schema an answer is text; with one the author's mapper knows its output.
    ...(outputMapper === undefined ? {} : { applyAnswer: (answer, state) => outputMapper(answer as string, state) }),
  };
}
