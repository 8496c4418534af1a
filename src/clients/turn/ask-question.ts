import {
  type AgentQuestion,
  type AgentQuestionAnswer,
  type AgentQuestionHandler,
  messageOf,
} from "../../contracts/index.ts";
import type { AgentTurn } from "./agent-turn.ts";

/** What a question depends on. */
export interface AskQuestionOptions {
  readonly turn: AgentTurn;
  readonly handler: AgentQuestionHandler | undefined;
  /** Aborted when the vendor withdraws the question. @default never */
  readonly until?: AbortSignal;
}

/**
 * Asks a person an agent's question. Declines when nobody can answer, and when asking fails. Rejects only with the reason of
 * a stopped turn or a withdrawn question.
 */
export async function askQuestion(
  question: AgentQuestion,
  { turn, handler, until }: AskQuestionOptions,
): Promise<AgentQuestionAnswer> {
  turn.publish({ type: "question-ask", sessionId: question.sessionId, question });
  if (handler === undefined) return { type: "decline", reason: "Nobody is there to answer. Decide by yourself." };
  try {
    return await turn.waitForPerson((signal) => handler(question, { signal }), until === undefined ? {} : { until });
  } catch (error) {
    turn.signal.throwIfAborted();
    until?.throwIfAborted();
    return { type: "decline", reason: `Asking failed: ${messageOf(error)}` };
  }
}
