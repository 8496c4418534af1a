import {
  type AgentEventBody,
  filledTexts,
  isRecord,
  recordOf,
  stringOf,
  type UnknownRecord,
} from "../../../contracts/index.ts";
import { type AcpToolCall, hasInput, mergeToolCall, outputOf, toolKindOf } from "./acp-tools.ts";

/** The progress of a tool call. */
interface TrackedCall {
  readonly call: AcpToolCall;
  readonly phase: "pending" | "started" | "ended";
}

/** What is known about a session in advance. */
export interface AcpTranslationOptions {
  /** The names of the session's MCP servers. */
  readonly mcpServers: readonly string[];
  /** Arguments of tool calls that the agent adds to the model's. */
  readonly addedInputs: readonly string[];
}

/**
 * The state of a turn's translation. Each state takes over the maps of the previous one, which must not be used again:
 * copying them would make every call of a long turn slower than the one before.
 */
export interface AcpTranslation extends AcpTranslationOptions {
  readonly sessionId: string;
  /** All calls of the turn, without the output of those that have ended. */
  readonly calls: Map<string, TrackedCall>;
  /** The calls that have not started. Every update checks them. */
  readonly pending: Map<string, TrackedCall>;
  /** The running calls. */
  readonly started: Map<string, TrackedCall>;
  /** The compactions that were reported. */
  readonly compactions: Set<string>;
}

/** The maximum number of calls that are announced but have not started. */
export const MAX_PENDING_CALLS = 1_000;

/** The state after an update, and the events it stands for. */
export interface AcpTranslationStep {
  readonly state: AcpTranslation;
  readonly events: readonly AgentEventBody[];
}

/** The state at the start of a turn. */
export function startTranslation(sessionId: string, options: AcpTranslationOptions): AcpTranslation {
  const calls = { calls: new Map(), pending: new Map(), started: new Map() };
  return { sessionId, ...options, ...calls, compactions: new Set() };
}

/**
 * Translates the `update` of a `session/update`. Never throws, whatever the agent sends.
 *
 * 1. Text is passed on as it comes, each piece once.
 * 2. Each tool call has one `tool-start` and one `tool-end`, in this order. It starts when its arguments are complete:
 *    when the agent reports the call as running or ended, or sends something else after the arguments.
 * 3. A tool that delegates to another agent is also reported as a sub-agent.
 * 4. Updates without a counterpart are passed on as `vendor`.
 */
export function translateAcpUpdate(state: AcpTranslation, rawUpdate: unknown): AcpTranslationStep {
  const update = recordOf(rawUpdate);
  const { sessionId } = state;
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
    case "agent_thought_chunk": {
      const text = stringOf(recordOf(update.content).text);
      if (text === "") return withFlush(state, vendorEvents(state, update));
      const type = update.sessionUpdate === "agent_message_chunk" ? "text-delta" : "thinking-delta";
      return withFlush(state, [{ type, sessionId, text }]);
    }
    case "tool_call":
    case "tool_call_update":
      return translateToolCall(state, update);
    case "compaction_update":
      return translateCompaction(state, update);
    case "session_info_update":
    case "available_commands_update":
    case "current_mode_update":
    case "config_option_update":
      // These may arrive while a tool's arguments are still incomplete.
      return { state, events: vendorEvents(state, update) };
    default:
      return withFlush(state, vendorEvents(state, update));
  }
}

/** Adds what a permission request says about its call. */
export function noteToolCall(state: AcpTranslation, rawCall: unknown): AcpTranslationStep {
  const update = recordOf(rawCall);
  const id = stringOf(update.toolCallId);
  const tracked = state.calls.get(id);
  if (id === "" || tracked === undefined || tracked.phase === "ended") return withFlush(state, []);
  // Its title, kind and status describe the request, not the call.
  if (hasInput(tracked.call)) return withFlush(state, []);
  // A request may contain only some of the arguments; the call's own update with all of them may follow.
  const call = mergeToolCall(tracked.call, { rawInput: update.rawInput });
  return withFlush(remember(state, { ...tracked, call }), [], id);
}

/** What is known about a tool call. */
export function toolCallOf(state: AcpTranslation, toolCallId: string): AcpToolCall | undefined {
  return state.calls.get(toolCallId)?.call;
}

/** Whether too many calls are announced but have not started. */
export function hasTooManyPending({ pending }: AcpTranslation): boolean {
  return pending.size > MAX_PENDING_CALLS;
}

/** The end of a turn, which also ends the tools that are still running. */
export function finishTranslation(state: AcpTranslation): AcpTranslationStep {
  const { state: flushed, events } = withFlush(state, []);
  const running = [...flushed.started.values()];
  const output = "The turn ended before the tool did.";
  const ends = running.flatMap(({ call }) => endEvents(flushed, { call, isError: true, output }));
  for (const { call } of running) remember(flushed, { call, phase: "ended" });
  return { state: flushed, events: [...events, ...ends] };
}

/** An agent may report a complete compaction twice, the second time with the summary. */
function translateCompaction(state: AcpTranslation, update: UnknownRecord): AcpTranslationStep {
  const { sessionId, compactions } = state;
  const id = stringOf(update.compactionId);
  if (update.status !== "completed" || compactions.has(id)) return withFlush(state, vendorEvents(state, update));
  compactions.add(id);
  return withFlush(state, [{ type: "compacted", sessionId }]);
}

function translateToolCall(before: AcpTranslation, update: UnknownRecord): AcpTranslationStep {
  const id = stringOf(update.toolCallId);
  if (id === "") return withFlush(before, vendorEvents(before, update));
  const { state, events: flushed } = withFlush(before, [], id);
  const tracked = state.calls.get(id);
  const call = mergeToolCall(tracked?.call, { ...update, rawInput: ownInput(state, update.rawInput) });
  if (tracked?.phase === "ended") return { state, events: [...flushed, ...vendorEvents(state, update)] };
  const hasEnded = call.status === "completed" || call.status === "failed";
  const isRunning = call.status === "in_progress" || hasEnded;
  const starts = tracked?.phase !== "started" && isRunning;
  const phase = hasEnded ? "ended" : starts ? "started" : (tracked?.phase ?? "pending");
  const isError = call.status === "failed";
  const events = [
    ...flushed,
    ...(starts ? startEvents(state, call) : []),
    ...(hasEnded ? endEvents(state, { call, isError, output: outputOf(call) }) : []),
    // The output of a running tool has no counterpart.
    ...(tracked?.phase === "started" && !hasEnded ? vendorEvents(state, update) : []),
  ];
  return { state: remember(state, { call, phase }), events };
}

/** A tool's arguments without the agent's additions. */
function ownInput({ addedInputs }: AcpTranslation, input: unknown): unknown {
  if (addedInputs.length === 0 || !isRecord(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => !addedInputs.includes(name)));
}

/** Invariant 2: an update about anything else completes the arguments of all pending calls but this one. */
function withFlush(state: AcpTranslation, events: readonly AgentEventBody[], exceptId?: string): AcpTranslationStep {
  if (state.pending.size === 0) return { state, events };
  const ready = [...state.pending.values()].filter(({ call }) => call.id !== exceptId && hasInput(call));
  for (const { call } of ready) remember(state, { call, phase: "started" });
  return { state, events: [...ready.flatMap(({ call }) => startEvents(state, call)), ...events] };
}

function remember(state: AcpTranslation, { call, phase }: TrackedCall): AcpTranslation {
  const { calls, pending, started } = state;
  const { id } = call;
  // The call's output was reported already, and may be long.
  const tracked =
    phase === "ended" ? { call: { ...call, contentText: "", rawOutput: undefined }, phase } : { call, phase };
  calls.set(id, tracked);
  if (phase === "pending") pending.set(id, tracked);
  else pending.delete(id);
  if (phase === "started") started.set(id, tracked);
  else started.delete(id);
  return state;
}

function startEvents(state: AcpTranslation, call: AcpToolCall): readonly AgentEventBody[] {
  const { sessionId } = state;
  const { id: toolId, name: toolName, input } = call;
  const kind = toolKindOf(call, state);
  const start: AgentEventBody = { type: "tool-start", sessionId, toolId, toolName, kind, input };
  if (kind !== "agent") return [start];
  const { description, subagent_type: type, prompt } = recordOf(input);
  const title = stringOf(description) || call.title;
  const facts = filledTexts({ subagentType: stringOf(type), task: stringOf(prompt) });
  return [start, { type: "subagent-start", sessionId, subagentId: toolId, title, ...facts }];
}

function endEvents(
  state: AcpTranslation,
  { call, isError, output }: { readonly call: AcpToolCall; readonly isError: boolean; readonly output: string },
): readonly AgentEventBody[] {
  const { sessionId } = state;
  const { id: toolId, name: toolName } = call;
  const end: AgentEventBody = { type: "tool-end", sessionId, toolId, toolName, isError, output };
  if (toolKindOf(call, state) !== "agent") return [end];
  const result = filledTexts({ result: output });
  return [{ type: "subagent-end", sessionId, subagentId: toolId, isError, ...result }, end];
}

function vendorEvents({ sessionId }: AcpTranslation, update: UnknownRecord): readonly AgentEventBody[] {
  return [{ type: "vendor", sessionId, name: stringOf(update.sessionUpdate) || "unknown", data: update }];
}
