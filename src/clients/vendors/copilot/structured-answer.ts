import { type AtomicError, type JsonSchema, StructuredOutputError } from "../../../contracts/index.ts";
import {
  createSchemaValidator,
  describeProblems,
  readStructuredAnswer,
  STRUCTURED_OUTPUT_RETRIES,
} from "../../turn/structured/structured-output.ts";
import { AGENT_TYPE } from "./copilot-errors.ts";

/** What becomes of a turn whose answer had to have a shape. */
export type AnswerVerdict =
  | { readonly type: "valid"; readonly value: unknown }
  /** The answer is wrong, and the agent is to be told so. */
  | { readonly type: "ask-again"; readonly prompt: string }
  | { readonly type: "failed"; readonly error: AtomicError };

/** Judges one answer after the other; gives up after `STRUCTURED_OUTPUT_RETRIES` wrong ones. */
export type AnswerCheck = (text: string) => AnswerVerdict;

/**
 * Copilot cannot hold a model to a schema: a tool that takes the answer ends the turn, but nothing makes the model call it.
 * So its answers are read.
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
