import {
  type AgentQuestion,
  type AgentQuestionAnswer,
  type AgentQuestionHandler,
  messageOf,
} from "../../contracts/index.ts";
import type { AgentTurn } from "./agent-turn.ts";

/**
 * Puts an agent's question to a person. Declines where nobody is there to ask, and when asking fails. Rejects only with
 * the reason of a turn that is stopped meanwhile.
 */
export async function askQuestion(
  question: AgentQuestion,
  { turn, handler }: { readonly turn: AgentTurn; readonly handler: AgentQuestionHandler | undefined },
): Promise<AgentQuestionAnswer> {
  turn.publish({ type: "question-ask", sessionId: question.sessionId, question });
  if (handler === undefined) return { type: "decline", reason: "Nobody is there to answer. Decide by yourself." };
  try {
    return await turn.waitForPerson((signal) => handler(question, { signal }));
  } catch (error) {
    turn.signal.throwIfAborted();
    return { type: "decline", reason: `Asking failed: ${messageOf(error)}` };
  }
}
