import {
  type AgentPrompt,
  AgentTurnError,
  type JsonSchema,
  StructuredOutputError,
  stringOf,
  type UnknownRecord,
} from "../../../contracts/index.ts";
import {
  createSchemaValidator,
  describeProblems,
  readStructuredAnswer,
  STRUCTURED_OUTPUT_RETRIES,
} from "../../turn/structured/structured-output.ts";
import type { AcpConnection } from "./acp-connection.ts";
import { toContentBlocks } from "./acp-prompt.ts";
import type { AcpTurn } from "./acp-turn.ts";
import { type AcpMeter, readUsage } from "./acp-usage.ts";
import { toStopError } from "./program/acp-errors.ts";

/** Settings of {@link runPrompt}. */
export interface RunPromptOptions {
  readonly agentType: string;
  readonly connection: AcpConnection;
  readonly running: AcpTurn;
  readonly workingDirectory: string;
  /** The conversation's size and cost as last reported. */
  readonly meter: () => AcpMeter;
  /** Whether the tokens in an answer are not those of its prompt, so that they are left out. */
  readonly hidesUsage: boolean;
  /** Whether the message must not trigger any action that needs no approval. @default false */
  readonly isPlain?: boolean;
  readonly outputSchema?: JsonSchema;
}

/**
 * Sends a message and waits for the answer. An answer that does not match the schema is requested again within the same
 * turn. Rejects with the error of the turn.
 */
export async function runPrompt(
  message: AgentPrompt,
  options: RunPromptOptions,
): Promise<{ readonly structured?: unknown }> {
  const { agentType, running, outputSchema } = options;
  const validate = outputSchema === undefined ? undefined : await createSchemaValidator(outputSchema);
  let next: AgentPrompt = message;
  for (let attempt = 0; ; attempt++) {
    const answer = await prompt(next, { ...options, isFirst: attempt === 0 });
    const { signal } = running.turn;
    const stopReason = stringOf(answer.stopReason);
    const error = toStopError(stopReason, agentType);
    if (error !== undefined) throw error;
    if (stopReason === "cancelled" && !signal.aborted) {
      throw new AgentTurnError(agentType, "it cancelled the turn by itself");
    }
    if (validate === undefined || signal.aborted) return {};
    const read = readStructuredAnswer(running.answer, validate);
    if (read.type === "valid") return { structured: read.value };
    if (attempt >= STRUCTURED_OUTPUT_RETRIES) throw new StructuredOutputError(agentType, read.problems, running.answer);
    next = describeProblems(read.problems);
  }
}

async function prompt(
  message: AgentPrompt,
  options: RunPromptOptions & { readonly isFirst: boolean },
): Promise<UnknownRecord> {
  const { connection, running, workingDirectory, meter, hidesUsage, isPlain = false, outputSchema, isFirst } = options;
  const { sessionId } = running.turn;
  running.startPrompt();
  const before = meter();
  const withSchema = isFirst && outputSchema !== undefined ? { outputSchema } : {};
  const blocks = toContentBlocks(message, { workingDirectory, isPlain, ...withSchema });
  let answer: UnknownRecord = {};
  try {
    answer = await connection.request("session/prompt", { sessionId, prompt: blocks }, { sessionId });
    return answer;
  } finally {
    // A failed prompt also costs money.
    const usage = hidesUsage ? undefined : readUsage(answer, { before, after: meter() });
    if (usage !== undefined) running.turn.publish({ type: "usage", sessionId, usage });
    running.finishPrompt();
  }
}
