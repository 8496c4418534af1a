import { type AtomicError, type JsonSchema, StructuredOutputError } from "../../../contracts/index.ts";
import {
  createSchemaValidator,
  describeProblems,
  readStructuredAnswer,
  STRUCTURED_OUTPUT_RETRIES,
} from "../../turn/structured/structured-output.ts";
import { AGENT_TYPE } from "./runtime/copilot-errors.ts";

/** How a turn with an output schema continues after an answer. */
export type AnswerVerdict =
  | { readonly type: "valid"; readonly value: unknown }
  /** The answer is invalid; `prompt` informs the agent. */
  | { readonly type: "ask-again"; readonly prompt: string }
  | { readonly type: "failed"; readonly error: AtomicError };

/** Checks one answer after another; fails after `STRUCTURED_OUTPUT_RETRIES` invalid ones. */
export type AnswerCheck = (text: string) => AnswerVerdict;

/**
 * Copilot cannot enforce a schema: a tool that takes the answer ends the turn, but nothing makes the model call it. So the
 * text of the answers is checked.
 */
export async function createAnswerCheck(schema: JsonSchema): Promise<AnswerCheck> {
  const validate = await createSchemaValidator(schema);
  let retriesLeft = STRUCTURED_OUTPUT_RETRIES;
  return (text) => {
    const answer = readStructuredAnswer(text, validate);
    if (answer.type === "valid") return answer;
    if (retriesLeft === 0) {
      return { type: "failed", error: new StructuredOutputError(AGENT_TYPE, answer.problems, text) };
    }
    retriesLeft -= 1;
    return { type: "ask-again", prompt: describeProblems(answer.problems) };
  };
}
