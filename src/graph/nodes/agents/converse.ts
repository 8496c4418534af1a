import type { AgentReply, Session, TurnOptions } from "../../../contracts/index.ts";
import { SchemaValidationError } from "../../errors/errors.ts";
import { given } from "../../errors/given.ts";
import { type StandardSchema, toJsonSchema, validateWith } from "../../state/standard-schema.ts";
import { boundText } from "../shared/bound-text.ts";
import { errorAfterWork } from "../shared/map-result.ts";

/** The longest complaint about an answer in a prompt, in characters. */
export const MAX_COMPLAINT_LENGTH = 4_000;

/** A message to an agent, and the shape of its answer. */
export interface Conversation<Output> {
  /** What asks, for errors. */
  readonly title: string;
  readonly message: string;
  /** Whether an earlier attempt may have started the work in this session. */
  readonly isInterrupted: boolean;
  readonly outputSchema?: StandardSchema<Output> | undefined;
  /** How often the agent may correct an answer that does not fit. @default 2 */
  readonly maxRepairs?: number | undefined;
  readonly stallTimeoutMs?: number | undefined;
  /** Stops the time limit of the work while it waits for other agents; see `TurnOptions`. */
  readonly stopTimeout?: TurnOptions["stopTimeout"] | undefined;
  /** Called with each message before it is sent: the task, then the corrections. */
  readonly onMessage?: ((message: string) => void) | undefined;
  readonly signal: AbortSignal;
}

/**
 * Sends a message and waits for the answer. An answer that does not fit the schema goes back to the agent with what is wrong.
 *
 * @throws SchemaValidationError, and what the client throws
 */
export async function converse<Output>(
  session: Session,
  {
    title,
    isInterrupted,
    outputSchema,
    maxRepairs = 2,
    stallTimeoutMs,
    stopTimeout,
    onMessage,
    signal,
    ...about
  }: Conversation<Output>,
): Promise<AgentReply & { readonly structured: Output }> {
  const jsonSchema = outputSchema && toJsonSchema(outputSchema);
  const options: TurnOptions = { signal, ...given({ outputSchema: jsonSchema, stallTimeoutMs, stopTimeout }) };
  let message = isInterrupted
    ? `Your work on the following was interrupted. Look at what is already done, then finish it.\n\n${about.message}`
    : about.message;
  for (let repairs = 0; ; repairs++) {
    onMessage?.(message);
    const reply = await session.send(message, options);
    // The cast is true: without a schema there is no structured answer, and Output is unknown.
    if (outputSchema === undefined) return reply as AgentReply & { readonly structured: Output };
    const answer = reply.structured ?? parseJson(reply.content);
    const result = await validateWith(outputSchema, answer).catch((thrown) => {
      throw errorAfterWork(thrown, { signal });
    });
    if (result.type === "valid") return { ...reply, structured: result.value };
    const problems = boundText(result.problems.join("; "), MAX_COMPLAINT_LENGTH);
    if (repairs >= maxRepairs) {
      throw new SchemaValidationError(
        `The answer of "${title}" does not have the required shape: ${problems}`,
        result.issues,
      );
    }
    message = `Your answer does not have the required shape: ${problems}. Answer again, in the required shape.`;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the schema's own message about a string is better.
    return text;
  }
}
