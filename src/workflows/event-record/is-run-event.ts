import { type AgentEventType, isRecord, type RunEvent, type UnknownRecord } from "../../contracts/index.ts";

type Check = (value: unknown) => boolean;
type Fields = Readonly<Record<string, Check>>;

/** The last moment that a date can have, in milliseconds since 1970. */
const LAST_MOMENT = 8.64e15;

const text: Check = (value) => typeof value === "string";
const number: Check = (value) => typeof value === "number" && Number.isFinite(value);
const moment: Check = (value) => typeof value === "number" && value >= 0 && value <= LAST_MOMENT;
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    typeof value === "string" && values.includes(value);
const shape =
  (fields: Fields): Check =>
  (value) =>
    isRecord(value) && hasFields(value, fields);

function hasFields(value: UnknownRecord, fields: Fields): boolean {
  return Object.entries(fields).every(([name, check]) => check(value[name]));
}

const usage = shape({
  ...{ inputTokens: number, outputTokens: number, cacheReadTokens: number, cacheWriteTokens: number },
  costUsd: optional(number),
});
const error = shape({ message: text, nodeId: optional(text) });
const option = shape({ label: text, description: optional(text) });
const request = shape({
  ...{ id: text, nodeId: text, question: text, askedAt: moment },
  ...{
    item: optional(text),
    header: optional(text),
    options: optional(listOf(option)),
    autoApproveAt: optional(moment),
  },
});
const task = shape({
  ...{ id: text, name: text },
  status: oneOf("pending", "in_progress", "passing", "failing", "skipped"),
});
const node: Fields = { nodeId: text, taskId: text };

/** What readers use of the events of agents, besides their session and time. */
const AGENT_FIELDS: Readonly<Record<AgentEventType, Fields>> = {
  "turn-start": {},
  "text-delta": { text },
  "text-restart": {},
  "thinking-delta": { text },
  "tool-start": { toolId: text, toolName: text },
  "tool-end": { toolId: text, toolName: text, output: text },
  "permission-ask": { request: shape({ toolName: text, command: optional(text) }) },
  "permission-denied": { denied: shape({ toolName: text, title: text, reason: text }) },
  "question-ask": {},
  "subagent-start": { subagentId: text, title: text, subagentType: optional(text), task: optional(text) },
  "subagent-end": { subagentId: text, result: optional(text) },
  usage: { usage },
  compacted: {},
  stalled: { silentMs: number },
  waiting: { reason: text, message: text, retryAt: optional(moment) },
  error: { message: text },
  "turn-end": { outcome: text },
  vendor: {},
};

const agentEvent: Check = (value) => {
  if (!isRecord(value) || typeof value.type !== "string" || !Object.hasOwn(AGENT_FIELDS, value.type)) return false;
  // One of the keys of the table.
  const fields = AGENT_FIELDS[value.type as AgentEventType];
  return hasFields(value, { sessionId: text, at: moment, ...fields });
};

/** What readers use of the events of runs, besides their run and time. */
const FIELDS: Readonly<Record<RunEvent["type"], Fields>> = {
  agent: { ...node, event: agentEvent, agentType: optional(text) },
  "agent-prompt": { ...node, message: text, sessionId: optional(text), agentType: optional(text) },
  "agent-session": { ...node, agentType: text, sessionId: text },
  answer: { ...node, requestId: text },
  checkpoint: {},
  "command-end": { ...node, command: text, exitCode: number, durationMs: number, output: optional(text) },
  "command-start": { ...node, command: text },
  "context-window": { ...node, fraction: optional(number), action: text },
  "debug-report": { ...node, report: isRecord },
  "graph-changed": { differences: listOf(text) },
  log: { ...node, message: text },
  "node-dropped": node,
  "node-end": { ...node, durationMs: number, usage, next: optional(listOf(text)) },
  "node-error": { ...node, attempt: number, error, retryAt: optional(moment) },
  "node-sleep": { ...node, until: moment },
  "node-start": { ...node, nodeType: text, name: text, attempt: number, item: optional(text) },
  request: { ...node, request },
  "run-end": {
    ...{ status: oneOf("completed", "suspended", "failed", "cancelled"), usage },
    error: optional(error),
  },
  "run-start": { workflow: text },
  tasks: { ...node, tasks: listOf(task) },
  usage: { ...node, usage },
  warning: { message: text },
};

/**
 * Whether a line of a record is an event of this version: its type is known, and it has the fields that readers use. The file
 * lies where other programs can write.
 */
export function isRunEvent(value: unknown): value is RunEvent {
  if (!isRecord(value) || typeof value.type !== "string" || !Object.hasOwn(FIELDS, value.type)) return false;
  // One of the keys of the table.
  const fields = FIELDS[value.type as RunEvent["type"]];
  return hasFields(value, { runId: text, at: moment, ...fields });
}
