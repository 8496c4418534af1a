import {
  type AgentEventBody,
  filledTexts,
  isRecord,
  recordOf,
  stringOf,
  type UnknownRecord,
} from "../../../contracts/index.ts";
import { type AcpToolCall, hasInput, mergeToolCall, outputOf, toolKindOf } from "./acp-tools.ts";

/** How far a tool call is. */
interface TrackedCall {
  readonly call: AcpToolCall;
  readonly phase: "pending" | "started" | "ended";
}

/** What is known about a session before anything happens. */
export interface AcpTranslationOptions {
  /** The names of the session's MCP servers. */
  readonly mcpServers: readonly string[];
  /** Arguments of tool calls that the agent adds to what the model gave. */
  readonly addedInputs: readonly string[];
}

/**
 * What the translation of a turn remembers. The next state takes over the maps of the one before, which is of no use then:
 * copies of them would make a turn of many calls slow, each call a little more than the one before.
 */
export interface AcpTranslation extends AcpTranslationOptions {
  readonly sessionId: string;
  /** All calls of the turn; of those that have ended, not what they returned. */
  readonly calls: Map<string, TrackedCall>;
  /** Those that have not begun, which each update looks through. */
  readonly pending: Map<string, TrackedCall>;
  /** Those that run. */
  readonly started: Map<string, TrackedCall>;
  /** The compactions that have been told. */
  readonly compactions: Set<string>;
}

/** So many calls may be announced and not begun at a time. */
export const MAX_PENDING_CALLS = 1_000;

/** The state after an update, and what it means. */
export interface AcpTranslationStep {
  readonly state: AcpTranslation;
  readonly events: readonly AgentEventBody[];
}

/** The beginning of a turn. */
export function startTranslation(sessionId: string, options: AcpTranslationOptions): AcpTranslation {
  const calls = { calls: new Map(), pending: new Map(), started: new Map() };
  return { sessionId, ...options, ...calls, compactions: new Set() };
}

/**
 * Translates the `update` of a `session/update`. Never throws, whatever the agent sends.
 *
 * 1. Text is passed on as it comes, each piece once.
 * 2. Each tool call has one `tool-start` and one `tool-end`, in this order. It starts when its arguments are known: when
 *    the agent says that it runs or has ended, or goes on with something else after it has told them.
 * 3. A tool that hands work to another agent is a sub-agent, too.
 * 4. What has no counterpart is passed on as `vendor`.
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
      // They come at any time, also while a tool's arguments are still arriving.
      return { state, events: vendorEvents(state, update) };
    default:
      return withFlush(state, vendorEvents(state, update));
  }
}

/** Notes what a permission request says about its call. */
export function noteToolCall(state: AcpTranslation, rawCall: unknown): AcpTranslationStep {
  const update = recordOf(rawCall);
  const id = stringOf(update.toolCallId);
  const tracked = state.calls.get(id);
  if (id === "" || tracked === undefined || tracked.phase === "ended") return withFlush(state, []);
  // Its title, kind and status are those of the request.
  if (hasInput(tracked.call)) return withFlush(state, []);
  // A request may tell a part of the arguments only; the call's own update with all of them may be right behind it.
  const call = mergeToolCall(tracked.call, { rawInput: update.rawInput });
  return withFlush(remember(state, { ...tracked, call }), [], id);
}

/** What is known of a tool call. */
export function toolCallOf(state: AcpTranslation, toolCallId: string): AcpToolCall | undefined {
  return state.calls.get(toolCallId)?.call;
}

/** Whether more calls are announced and not begun than can be followed. */
export function hasTooManyPending({ pending }: AcpTranslation): boolean {
  return pending.size > MAX_PENDING_CALLS;
}

/** The end of a turn: tools that have begun and never told their end have ended with it. */
export function finishTranslation(state: AcpTranslation): AcpTranslationStep {
  const { state: flushed, events } = withFlush(state, []);
  const running = [...flushed.started.values()];
  const output = "The turn ended before the tool did.";
  const ends = running.flatMap(({ call }) => endEvents(flushed, { call, isError: true, output }));
  for (const { call } of running) remember(flushed, { call, phase: "ended" });
  return { state: flushed, events: [...events, ...ends] };
}

/** An agent may tell twice that a compaction is complete, the second time with the summary. */
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
    // What a tool says while it runs has no counterpart.
    ...(tracked?.phase === "started" && !hasEnded ? vendorEvents(state, update) : []),
  ];
  return { state: remember(state, { call, phase }), events };
}

/** A tool's arguments without the agent's additions. */
function ownInput({ addedInputs }: AcpTranslation, input: unknown): unknown {
  if (addedInputs.length === 0 || !isRecord(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => !addedInputs.includes(name)));
}

/** Invariant 2: what else happens shows that the arguments of pending calls, but of this one, are complete. */
function withFlush(state: AcpTranslation, events: readonly AgentEventBody[], exceptId?: string): AcpTranslationStep {
  if (state.pending.size === 0) return { state, events };
  const ready = [...state.pending.values()].filter(({ call }) => call.id !== exceptId && hasInput(call));
  for (const { call } of ready) remember(state, { call, phase: "started" });
  return { state, events: [...ready.flatMap(({ call }) => startEvents(state, call)), ...events] };
}

function remember(state: AcpTranslation, { call, phase }: TrackedCall): AcpTranslation {
  const { calls, pending, started } = state;
  const { id } = call;
  // What a call has returned was told, and may be long.
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
