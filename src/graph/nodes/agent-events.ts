import { type AgentEvent, describeToolInput, WaitingFilter } from "../../contracts/index.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { shorten } from "./shorten.ts";

/** Returns what passes on to whoever watches the run what an agent does; its usage counts as the node's. */
export function createEventEmitter(context: Pick<ExecutionContext, "emit">): (event: AgentEvent) => void {
  const waits = new WaitingFilter();
  return (event) => {
    const waiting = waits.take(event, Date.now());
    if (waiting !== undefined) context.emit({ type: "log", message: `The agent waits ${waiting}` });
    emitAgentEvent(event, context);
  };
}

function emitAgentEvent(event: AgentEvent, context: Pick<ExecutionContext, "emit">): void {
  switch (event.type) {
    case "text-delta":
      return context.emit({ type: "agent-text", text: event.text });
    case "thinking-delta":
      return context.emit({ type: "agent-thinking", text: event.text });
    case "tool-start": {
      const { toolId, toolName, input } = event;
      return context.emit({ type: "tool-start", toolId, toolName, title: shorten(describeToolInput(input)) });
    }
    case "tool-end": {
      const { toolId, toolName, isError } = event;
      return context.emit({ type: "tool-end", toolId, toolName, isError });
    }
    case "permission-denied":
      return context.emit({ type: "permission-denied", denied: event.denied });
    case "usage":
      return context.emit({ type: "usage", usage: event.usage });
    case "compacted":
      return context.emit({ type: "log", message: "The agent compacted its conversation." });
    case "stalled": {
      const seconds = Math.ceil(event.silentMs / 1000);
      return context.emit({ type: "log", message: `The agent has been silent for ${seconds} s; its turn is aborted.` });
    }
    case "error":
      return context.emit({ type: "log", message: `The agent reports an error: ${event.message}` });
    case "waiting":
    case "turn-start":
    case "turn-end":
    case "permission-ask":
    case "question-ask":
    case "subagent-start":
    case "subagent-end":
    case "vendor":
      return;
  }
}
