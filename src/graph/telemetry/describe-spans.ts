import type { AgentEvent, RunEvent, SpanAttributes } from "../../contracts/index.ts";
import * as attribute from "./span-attributes.ts";
import type { TaskLevel } from "./task-path.ts";

/** The name of a new span, and what is known when it starts. */
export interface SpanDescription {
  readonly name: string;
  readonly attributes: SpanAttributes;
}

/** Describes the part of a process in a run. */
export function describeRun({ runId, workflow, isResume }: Extract<RunEvent, { type: "run-start" }>): SpanDescription {
  return {
    name: `invoke_workflow ${workflow}`,
    attributes: {
      [attribute.OPERATION_NAME]: "invoke_workflow",
      [attribute.WORKFLOW_NAME]: workflow,
      "atomic.run.id": runId,
      "atomic.run.is_resume": isResume,
    },
  };
}

/** Describes an attempt of a node. */
export function describeVisit({
  taskId,
  nodeId,
  nodeType,
  attempt,
}: Extract<RunEvent, { type: "node-start" }>): SpanDescription {
  return {
    name: `${nodeType} ${nodeId}`,
    attributes: {
      "atomic.node.id": nodeId,
      "atomic.node.type": nodeType,
      "atomic.task.id": taskId,
      "atomic.attempt": attempt,
    },
  };
}

/** Describes a fork, a branch, or the graph of a node. */
export function describeLevel({ kind, name }: TaskLevel): SpanDescription {
  return { name: `${kind} ${name}`, attributes: { [`atomic.${kind}.name`]: name } };
}

/** Describes an agent at work for a node. */
export function describeAgent({
  agentType,
  sessionId,
  isResumed,
}: Extract<RunEvent, { type: "agent-session" }>): SpanDescription {
  return {
    name: `invoke_agent ${agentType}`,
    attributes: {
      [attribute.OPERATION_NAME]: "invoke_agent",
      [attribute.AGENT_NAME]: agentType,
      [attribute.CONVERSATION_ID]: sessionId,
      "atomic.agent.is_resumed": isResumed,
    },
  };
}

/** Describes a turn of an agent. The conventions have no name for it. */
export function describeTurn({ sessionId }: Extract<AgentEvent, { type: "turn-start" }>): SpanDescription {
  return { name: "turn", attributes: { [attribute.CONVERSATION_ID]: sessionId } };
}

/** Describes a tool call. */
export function describeTool({ toolName, toolId }: Extract<AgentEvent, { type: "tool-start" }>): SpanDescription {
  return {
    name: `execute_tool ${toolName}`,
    attributes: {
      [attribute.OPERATION_NAME]: "execute_tool",
      [attribute.TOOL_NAME]: toolName,
      [attribute.TOOL_CALL_ID]: toolId,
    },
  };
}
