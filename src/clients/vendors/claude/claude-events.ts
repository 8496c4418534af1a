import {
  type AgentEventBody,
  addUsage,
  filledTexts,
  recordOf,
  recordsOf,
  stringOf,
  type UnknownRecord,
} from "../../../contracts/index.ts";
import { displayedToolName, STRUCTURED_OUTPUT_TOOL, toolKindOf } from "../claude-settings/claude-tools.ts";
import { describeRetry, parseApiRetry } from "./claude-errors.ts";
import { type CallLedger, emptyLedger, parseUsage, settleLedger, updateCall } from "./claude-usage.ts";

/** How many characters of a message's text have arrived, and how many were passed on. */
interface TextProgress {
  /** In deltas. */
  readonly streamed: number;
  /** In whole blocks. */
  readonly whole: number;
  readonly emitted: number;
}

interface KnownSubagent {
  readonly isRunning: boolean;
  /** Its last text, which is its answer once it has ended. */
  readonly lastText: string;
}

/**
 * The state of a turn's translation. Each state takes over the maps of the previous one, which must not be used again:
 * copying them would make every message of a long turn slower than the one before.
 */
export interface TranslationState {
  readonly sessionId: string;
  /** The answer of the model that is being streamed. */
  readonly messageId: string;
  /** The message of the last text, unless a tool was called after it. */
  readonly speaker?: string;
  /** Keyed by the message's id and the kind of text. */
  readonly texts: Map<string, TextProgress>;
  /** The ids of the messages that were handled. */
  readonly seen: Set<string>;
  /** Keyed by the call's id. */
  readonly tools: Map<string, { readonly name: string; readonly hasEnded: boolean }>;
  readonly subagents: Map<string, KnownSubagent>;
  readonly ledger: CallLedger;
}

/** The new state, and the events of one message. */
export interface Translation {
  readonly state: TranslationState;
  readonly events: readonly AgentEventBody[];
}

type TextType = "text-delta" | "thinking-delta";

/** The state at the start of a turn. */
export function startTranslation(sessionId: string): TranslationState {
  const known = { texts: new Map(), seen: new Set<string>(), tools: new Map(), subagents: new Map() };
  return { sessionId, messageId: "", ...known, ledger: emptyLedger() };
}

/**
 * Translates one message from Claude Code. Depends only on the message and the state, which must not be used again.
 * Must not throw for any message.
 *
 * 1. Text is passed on once, whether it arrives as deltas, as a whole block, or as both in either order.
 * 2. Every tool call has one `tool-start` and at most one `tool-end`, in this order.
 * 3. Every model call has one `usage`: when the next call starts, or at the end of the turn, which settles the sum
 *    (see `settleLedger`).
 * 4. Messages without a tool between them are separate paragraphs.
 * 5. The repetition of an answer that broke off begins with a `text-restart`.
 * 6. Sub-agents' text and tool calls are not the session's: they are passed on as `vendor`, like unknown messages.
 *    Every sub-agent that starts also ends, with the turn at the latest.
 */
export function translateClaudeMessage(state: TranslationState, raw: unknown, now: number): Translation {
  const message = recordOf(raw);
  if (typeof message.parent_tool_use_id === "string") return translateSubagentMessage(state, message);
  switch (message.type) {
    case "stream_event":
      return translateStreamEvent(state, message);
    case "assistant":
      return translateAssistant(state, message);
    case "user":
      return translateToolResults(state, message);
    case "system":
      return translateSystem(state, message, now);
    case "result":
      return translateResult(state, message);
    default:
      return vendor(state, message);
  }
}

/** The remaining events of a turn that ends without a `result`. */
export function flushTranslation(state: TranslationState): readonly AgentEventBody[] {
  return settleTurn(state, {}).events;
}

function vendor(state: TranslationState, message: UnknownRecord): Translation {
  const detail = stringOf(message.subtype) || stringOf(recordOf(message.event).type);
  const name = [stringOf(message.type) || "unknown", detail].filter(Boolean).join("/");
  return { state, events: [{ type: "vendor", sessionId: state.sessionId, name, data: message }] };
}

function translateStreamEvent(state: TranslationState, message: UnknownRecord): Translation {
  const event = recordOf(message.event);
  const delta = recordOf(event.delta);
  switch (event.type) {
    case "message_start":
      return startCall(state, recordOf(event.message));
    case "message_delta": {
      const { held } = state.ledger;
      if (held === undefined) return { state, events: [] };
      return { state: withLedger(state, { held: updateCall(held, event.usage) }), events: [] };
    }
    case "content_block_delta":
      if (delta.type === "text_delta") return addDelta(state, "text-delta", stringOf(delta.text));
      if (delta.type === "thinking_delta") return addDelta(state, "thinking-delta", stringOf(delta.thinking));
      return vendor(state, message);
    default:
      return vendor(state, message);
  }
}

/** Invariants 3 and 5. A repeated announcement of the same call is not a second call. */
function startCall(state: TranslationState, message: UnknownRecord): Translation {
  const id = stringOf(message.id);
  const next = { ...state, messageId: id };
  const { held, reported } = state.ledger;
  if (held?.id === id) return { state: next, events: [] };
  const call = { id, usage: parseUsage(message.usage), isFinal: false };
  if (held === undefined) return { state: withLedger(next, { held: call }), events: [] };
  const { sessionId, speaker } = state;
  const sum = addUsage(reported, held.usage);
  // The text of a call without an end is void.
  const isCut = !held.isFinal && held.id === speaker;
  return {
    state: withLedger(next, { held: call, reported: sum }),
    events: [
      ...(isCut ? [{ type: "text-restart", sessionId } as const] : []),
      { type: "usage", sessionId, usage: held.usage },
    ],
  };
}

function addDelta(state: TranslationState, type: TextType, text: string): Translation {
  return advanceText(state, { type, text, messageId: state.messageId, source: "streamed" });
}

/** Invariants 1 and 4. */
function advanceText(
  state: TranslationState,
  piece: {
    readonly type: TextType;
    readonly text: string;
    readonly messageId: string;
    readonly source: "streamed" | "whole";
  },
): Translation {
  const { type, text, messageId, source } = piece;
  const key = `${type} ${messageId}`;
  const before = state.texts.get(key) ?? { streamed: 0, whole: 0, emitted: 0 };
  const length = before[source] + text.length;
  const fresh = text.slice(Math.max(0, text.length - Math.max(0, length - before.emitted)));
  state.texts.set(key, { ...before, [source]: length, emitted: Math.max(before.emitted, length) });
  if (fresh === "") return { state, events: [] };
  const { sessionId, speaker } = state;
  if (type === "thinking-delta") return { state, events: [{ type, sessionId, text: fresh }] };
  const gap = speaker === undefined || speaker === messageId ? "" : "\n\n";
  return { state: { ...state, speaker: messageId }, events: [{ type, sessionId, text: gap + fresh }] };
}

/** A message with one or more blocks of an answer. An answer that is not streamed arrives only this way. */
function translateAssistant(state: TranslationState, message: UnknownRecord): Translation {
  const answer = recordOf(message.message);
  const uuid = stringOf(message.uuid);
  // The end of the turn reports the text of a provider's error.
  if (message.error !== undefined || state.seen.has(uuid)) return vendor(state, message);
  if (uuid !== "") state.seen.add(uuid);
  const isStreamed = stringOf(answer.id) === state.messageId || answer.model === "<synthetic>";
  const called = isStreamed ? { state, events: [] } : noteWholeCall(state, answer);
  return recordsOf(answer.content).reduce<Translation>((before, block) => {
    const translated = translateBlock(before.state, block, message);
    return { state: translated.state, events: [...before.events, ...translated.events] };
  }, called);
}

/** A call whose answer and usage arrive at once. */
function noteWholeCall(state: TranslationState, answer: UnknownRecord): Translation {
  const { state: next, events } = startCall(state, answer);
  const { held } = next.ledger;
  return { state: held === undefined ? next : withLedger(next, { held: { ...held, isFinal: true } }), events };
}

function translateBlock(state: TranslationState, block: UnknownRecord, message: UnknownRecord): Translation {
  const messageId = stringOf(recordOf(message.message).id);
  switch (block.type) {
    case "text":
      return advanceText(state, { type: "text-delta", text: stringOf(block.text), messageId, source: "whole" });
    case "thinking":
      return advanceText(state, { type: "thinking-delta", text: stringOf(block.thinking), messageId, source: "whole" });
    case "tool_use":
      return startTool(state, block, message);
    default:
      return vendor(state, message);
  }
}

/** Invariant 2. */
function startTool(state: TranslationState, block: UnknownRecord, message: UnknownRecord): Translation {
  const toolId = stringOf(block.id);
  const vendorName = stringOf(block.name);
  if (vendorName === STRUCTURED_OUTPUT_TOOL) return vendor(state, message);
  if (toolId === "" || state.tools.has(toolId)) return { state, events: [] };
  const { sessionId } = state;
  const toolName = displayedToolName(vendorName);
  state.tools.set(toolId, { name: toolName, hasEnded: false });
  const kind = toolKindOf(vendorName);
  const { speaker: _, ...rest } = state;
  return { state: rest, events: [{ type: "tool-start", sessionId, toolId, toolName, kind, input: block.input }] };
}

/** Invariant 2. A message without the result of a known call does not belong to the session. */
function translateToolResults(state: TranslationState, message: UnknownRecord): Translation {
  const results = recordsOf(recordOf(message.message).content).filter((block) => {
    return block.type === "tool_result" && state.tools.has(stringOf(block.tool_use_id));
  });
  if (results.length === 0) return vendor(state, message);
  return { state, events: results.flatMap((block) => endTool(state, block)) };
}

/** Invariant 2. */
function endTool({ sessionId, tools }: TranslationState, block: UnknownRecord): readonly AgentEventBody[] {
  const toolId = stringOf(block.tool_use_id);
  const tool = tools.get(toolId);
  if (tool === undefined || tool.hasEnded) return [];
  tools.set(toolId, { ...tool, hasEnded: true });
  const output = contentText(block.content);
  return [{ type: "tool-end", sessionId, toolId, toolName: tool.name, isError: block.is_error === true, output }];
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return recordsOf(content)
    .flatMap((part) => (typeof part.text === "string" ? [part.text] : []))
    .join("\n");
}

function translateSystem(state: TranslationState, message: UnknownRecord, now: number): Translation {
  const { sessionId } = state;
  switch (message.subtype) {
    case "compact_boundary":
      return { state, events: [{ type: "compacted", sessionId }] };
    case "api_retry":
      return { state, events: [waitingEvent(sessionId, message, now)] };
    case "task_started":
      return startSubagent(state, message);
    case "task_notification":
      return endSubagent(state, message, message.status !== "completed");
    case "task_updated": {
      const { status } = recordOf(message.patch);
      if (status === "completed") return endSubagent(state, message, false);
      return status === "failed" || status === "killed" ? endSubagent(state, message, true) : vendor(state, message);
    }
    default:
      return vendor(state, message);
  }
}

function waitingEvent(sessionId: string, message: UnknownRecord, now: number): AgentEventBody {
  const retry = parseApiRetry(message);
  return {
    type: "waiting",
    sessionId,
    reason: waitingReason(retry.status),
    message: describeRetry(retry),
    retryAt: now + retry.delayMs,
  };
}

function waitingReason(status: number | undefined): Extract<AgentEventBody, { type: "waiting" }>["reason"] {
  if (status === undefined) return "network";
  if (status === 429) return "rate-limit";
  return status === 529 ? "overload" : "provider-error";
}

/** Invariant 6. Long-running commands and tools are tasks, too; only sub-agents are reported as such. */
function startSubagent(state: TranslationState, message: UnknownRecord): Translation {
  const subagentId = stringOf(message.task_id);
  const isAgent = message.task_type === "local_agent" || message.subagent_type !== undefined;
  if (!isAgent || state.subagents.has(subagentId)) return vendor(state, message);
  state.subagents.set(subagentId, { isRunning: true, lastText: "" });
  const { sessionId } = state;
  const title = stringOf(message.description);
  const facts = filledTexts({ subagentType: stringOf(message.subagent_type), task: stringOf(message.prompt) });
  return { state, events: [{ type: "subagent-start", sessionId, subagentId, title, ...facts }] };
}

function endSubagent(state: TranslationState, message: UnknownRecord, isError: boolean): Translation {
  const subagentId = stringOf(message.task_id);
  const known = state.subagents.get(subagentId);
  if (known?.isRunning !== true) return vendor(state, message);
  state.subagents.set(subagentId, { isRunning: false, lastText: "" });
  const { sessionId } = state;
  const [summary, error] = [stringOf(message.summary), stringOf(recordOf(message.patch).error)];
  const result = filledTexts({ result: isError ? error || summary : known.lastText || summary });
  return { state, events: [{ type: "subagent-end", sessionId, subagentId, isError, ...result }] };
}

/** Invariant 6. Each answer counts once, although its blocks arrive separately. */
function translateSubagentMessage(state: TranslationState, message: UnknownRecord): Translation {
  const answer = recordOf(message.message);
  const id = stringOf(answer.id);
  const known = state.subagents.get(stringOf(message.agent_id));
  const text = message.type === "assistant" ? contentText(answer.content) : "";
  if (known?.isRunning === true && text !== "")
    state.subagents.set(stringOf(message.agent_id), { isRunning: true, lastText: text });
  if (message.type !== "assistant" || message.error !== undefined || id === "") return vendor(state, message);
  state.ledger.subagentCalls.set(id, { id, usage: parseUsage(answer.usage), isFinal: false });
  return vendor(state, message);
}

function translateResult(state: TranslationState, message: UnknownRecord): Translation {
  const uuid = stringOf(message.uuid);
  if (state.seen.has(uuid)) return vendor(state, message);
  if (uuid !== "") state.seen.add(uuid);
  return settleTurn(state, message);
}

/** Invariants 3 and 6. A turn with added messages may have several results. */
function settleTurn(state: TranslationState, result: UnknownRecord): Translation {
  const { sessionId } = state;
  const running = [...state.subagents].flatMap(([id, { isRunning }]) => (isRunning ? [id] : []));
  for (const id of running) state.subagents.set(id, { isRunning: false, lastText: "" });
  return {
    state: { ...state, ledger: emptyLedger() },
    events: [
      ...running.map((subagentId) => ({ type: "subagent-end", sessionId, subagentId, isError: true }) as const),
      ...settleLedger(state.ledger, result).map((usage) => ({ type: "usage", sessionId, usage }) as const),
    ],
  };
}

function withLedger(state: TranslationState, changes: Partial<CallLedger>): TranslationState {
  return { ...state, ledger: { ...state.ledger, ...changes } };
}
