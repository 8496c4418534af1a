/** The types of event, by their group. */
const EVENT_TYPES = [
  "sdk.session.created",
  "sdk.session.resumed",
  "sdk.session.destroyed",
  "sdk.message.sent",
  "sdk.message.received",
  "sdk.tool.executed",
  "sdk.error",
  "graph.execution.started",
  "graph.execution.completed",
  "graph.execution.failed",
  "graph.node.started",
  "graph.node.completed",
  "graph.node.failed",
  "graph.checkpoint.saved",
  "graph.checkpoint.loaded",
  "workflow.ralph.started",
  "workflow.ralph.iteration",
  "workflow.ralph.completed",
  "workflow.feature.started",
  "workflow.feature.completed",
  "ui.chat.opened",
  "ui.chat.closed",
  "ui.message.submitted",
] as const;

/** What happened: in an agent's session, in a graph, in a built-in workflow, or in the chat. */
export type TelemetryEventType = (typeof EVENT_TYPES)[number];

/** All types of event. */
export const TELEMETRY_EVENT_TYPES: readonly TelemetryEventType[] = EVENT_TYPES;

/** Something that happened, as sinks receive it. Never contains the text of a prompt, an answer, a file or a command. */
export interface TelemetryEvent {
  /** A random UUID. */
  readonly eventId: string;
  readonly timestamp: Date;
  readonly eventType: TelemetryEventType;
  /** The vendor's id of the agent's session. */
  readonly sessionId?: string;
  /** The id of the run. */
  readonly executionId?: string;
  /** Numbers, yes or no, and names: only the properties that `docs/telemetry.md` lists. */
  readonly properties: Readonly<Record<string, unknown>>;
}
