import type { AgentEventBody } from "./agent-event.ts";
import { describeWaiting } from "./describe-waiting.ts";

/**
 * Describes an event in a sentence for people. Returns `undefined` for the agent's text, its tool calls, and events that
 * only programs read. The result contains the agent's own text: of any length, and not safe for a terminal.
 */
export function describeAgentEvent(event: AgentEventBody, now: number): string | undefined {
  switch (event.type) {
    case "waiting":
      return `The agent waits ${describeWaiting(event, now)}`;
    case "stalled":
      return `The agent has been silent for ${Math.ceil(event.silentMs / 1000)} s; its turn is aborted.`;
    case "compacted":
      return "The agent compacted its conversation.";
    case "text-restart":
      return "The answer broke off, and starts again.";
    case "error":
      return `The agent reports an error: ${event.message}`;
    case "permission-ask":
      return `The agent asks for permission: ${event.request.title}`;
    case "question-ask":
      return `The agent asks: ${event.question.question}`;
    case "subagent-start":
      return `A sub-agent begins: ${event.title}`;
    case "subagent-end":
      return event.isError ? "A sub-agent failed." : undefined;
    case "turn-start":
    case "turn-end":
    case "text-delta":
    case "thinking-delta":
    case "tool-start":
    case "tool-end":
    case "permission-denied":
    case "usage":
    case "vendor":
      return undefined;
  }
}
