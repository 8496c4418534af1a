import { type AgentEvent, recordOf, stringOf } from "../../contracts/index.ts";
import { toWaitingReason } from "./opencode-errors.ts";
import { toolKindOf } from "./opencode-permissions.ts";
import { bareToolName } from "./opencode-servers.ts";
import {
  numberOf,
  type OpenCodeEvent,
  type OpenCodeMessage,
  type OpenCodePart,
  parseMessage,
  parsePart,
  sessionIdOf,
} from "./opencode-wire.ts";

/** Whose text a message holds; a `summary` is what a compaction wrote. */
type MessageRole = "user" | "assistant" | "summary";

/** How far the text of one part has come. */
interface PartProgress {
  readonly messageId: string;
  /** Unknown while only deltas came: they do not say whether they are thinking. */
  readonly type?: "text" | "reasoning";
  readonly received: string;
  /** The end of `received` that was not passed on yet; cutting it off would copy the whole text with every delta. */
  readonly pending: string;
  readonly isComplete: boolean;
}

/** A tool call the translator has heard of. */
export interface KnownTool {
  /** Without the prefix of the session's MCP servers. */
  readonly name: string;
  readonly input: unknown;
  readonly status: "announced" | "running" | "ended";
}

/**
 * What the translator remembers of a turn. The next state takes over the maps of the one before, which is of no use then:
 * copies of them would make each event of a long turn cost a little more than the one before.
 */
export interface TranslationState {
  readonly sessionId: string;
  /** What the names of the session's own MCP servers begin with. */
  readonly serverPrefix: string;
  readonly messages: Map<string, MessageRole>;
  /** The message of the model's that is being written; empty before the first one. */
  readonly answerId: string;
  readonly parts: Map<string, PartProgress>;
  /** The parts that came before their message, by the message's identifier. */
  readonly earlyParts: Map<string, Set<string>>;
  /** By the call's identifier. */
  readonly tools: Map<string, KnownTool>;
  /** The model calls whose tokens were reported. */
  readonly countedSteps: Set<string>;
  readonly subagents: Map<string, { readonly isRunning: boolean; readonly hasFailed: boolean }>;
}

/** The new state and the events that one vendor event stands for. */
export interface Translation {
  readonly state: TranslationState;
  readonly events: readonly AgentEvent[];
}

/** The tool through which OpenCode takes a structured answer; it is no tool of the agent's. */
const STRUCTURED_OUTPUT_TOOL = "StructuredOutput";

/** Vendor events that say nothing a listener could want: the turn, the permissions and the questions are told elsewhere. */
const SILENT_TYPES: ReadonlySet<string> = new Set([
  "session.idle",
  "session.error",
  "permission.asked",
  "question.asked",
  "message.removed",
]);

/** The state at the beginning of a turn. */
export function startTranslation(sessionId: string, serverPrefix: string): TranslationState {
  const texts = { messages: new Map(), answerId: "", parts: new Map(), earlyParts: new Map() };
  return { sessionId, serverPrefix, ...texts, tools: new Map(), countedSteps: new Set(), subagents: new Map() };
}

/**
 * Translates one event of a session or of one of its sub-agents. Depends on nothing but the state, which it uses up, and
 * the event; must not throw whatever OpenCode sends.
 *
 * 1. Text is passed on once, whether it comes as deltas, as a whole part, or as both in either order.
 * 2. Every tool call gives one `tool-start` and at most one `tool-end`, in this order.
 * 3. Every model call gives one `usage`, those of sub-agents and compactions included.
 * 4. What sub-agents say is no text of the session; it is passed on as `vendor`, like everything unknown.
 */
export function translateOpenCodeEvent(state: TranslationState, event: OpenCodeEvent): Translation {
  const sessionId = sessionIdOf(event) ?? state.sessionId;
  if (sessionId !== state.sessionId) return translateSubagentEvent(state, event, sessionId);
  switch (event.type) {
    case "message.updated":
      return translateMessage(state, parseMessage(event.properties.info));
    case "message.part.updated":
      return translatePart(state, event);
    case "message.part.delta":
      return translateDelta(state, event);
    case "session.compacted":
      return { state, events: [{ type: "compacted", sessionId }] };
    case "session.status":
      return { state, events: waitingEvents(sessionId, event) };
    default:
      return SILENT_TYPES.has(event.type) ? { state, events: [] } : vendor(state, event);
  }
}

function vendor(state: TranslationState, event: OpenCodeEvent): Translation {
  return {
    state,
    events: [{ type: "vendor", sessionId: state.sessionId, name: event.type, data: event.properties }],
  };
}

function translateMessage(state: TranslationState, message: OpenCodeMessage): Translation {
  const { messages, parts, earlyParts } = state;
  if (message.id === "" || messages.has(message.id)) return { state, events: [] };
  const role: MessageRole = message.role === "user" ? "user" : message.isSummary ? "summary" : "assistant";
  messages.set(message.id, role);
  const waiting = [...(earlyParts.get(message.id) ?? [])];
  earlyParts.delete(message.id);
  const events = waiting.flatMap((partId) => {
    const part = parts.get(partId);
    return part === undefined ? [] : emitText(state, partId, part).events;
  });
  return { state: role === "assistant" ? { ...state, answerId: message.id } : state, events };
}

function translatePart(state: TranslationState, event: OpenCodeEvent): Translation {
  const part = parsePart(event.properties.part);
  switch (part.type) {
    case "text":
    case "reasoning":
      return emitText(state, part.id, withWholeText(state.parts.get(part.id), part));
    case "tool":
      return part.tool === STRUCTURED_OUTPUT_TOOL ? vendor(state, event) : translateToolEvent(state, part, event);
    case "step-finish":
      return countStep(state, part);
    case "other":
      return vendor(state, event);
  }
}

function translateDelta(state: TranslationState, event: OpenCodeEvent): Translation {
  const { partID, messageID, field, delta } = event.properties;
  if (field !== "text") return vendor(state, event);
  const partId = stringOf(partID);
  const before = state.parts.get(partId) ?? emptyPart(stringOf(messageID));
  if (before.isComplete) return { state, events: [] };
  const text = stringOf(delta);
  return emitText(state, partId, { ...before, received: before.received + text, pending: before.pending + text });
}

function emptyPart(messageId: string): PartProgress {
  return { messageId, received: "", pending: "", isComplete: false };
}

/** Invariant 1: the whole text goes on from the deltas where it can; deltas out of order are kept as they came. */
function withWholeText(
  before: PartProgress | undefined,
  part: Extract<OpenCodePart, { readonly type: "text" | "reasoning" }>,
): PartProgress {
  const known = { ...(before ?? emptyPart(part.messageId)), type: part.type };
  if (part.text.startsWith(known.received)) {
    const pending = known.pending + part.text.slice(known.received.length);
    return { ...known, received: part.text, pending, isComplete: known.isComplete || part.isComplete };
  }
  // OpenCode cuts blanks off the end of a finished text.
  const isSame = known.received.trimEnd() === part.text.trimEnd();
  return { ...known, isComplete: known.isComplete || (part.isComplete && isSame) };
}

/** Changes nothing but the maps. */
function emitText(state: TranslationState, partId: string, part: PartProgress): Translation {
  const { sessionId, messages, parts } = state;
  const role = messages.get(part.messageId);
  const text = part.pending;
  if (role === undefined) noteEarlyPart(state, partId, part);
  if (role !== "assistant" || part.type === undefined || text === "") {
    parts.set(partId, part);
    return { state, events: [] };
  }
  parts.set(partId, { ...part, pending: "" });
  return { state, events: [{ type: part.type === "text" ? "text-delta" : "thinking-delta", sessionId, text }] };
}

function noteEarlyPart({ earlyParts }: TranslationState, partId: string, { messageId }: PartProgress): void {
  const waiting = earlyParts.get(messageId);
  if (waiting === undefined) earlyParts.set(messageId, new Set([partId]));
  else waiting.add(partId);
}

/** What a running tool reports on its way (the output so far) has no counterpart, so it is passed on. */
function translateToolEvent(
  state: TranslationState,
  part: Extract<OpenCodePart, { readonly type: "tool" }>,
  event: OpenCodeEvent,
): Translation {
  const translation = translateTool(state, part);
  const isProgress = part.status === "running" && translation.events.length === 0;
  return isProgress ? vendor(translation.state, event) : translation;
}

/** Invariant 2. */
function translateTool(state: TranslationState, part: Extract<OpenCodePart, { readonly type: "tool" }>): Translation {
  const before = state.tools.get(part.callId)?.status ?? "announced";
  const isOver = part.status === "completed" || part.status === "error";
  const status = isOver || before === "ended" ? "ended" : part.status === "running" ? "running" : before;
  const name = bareToolName(part.tool, state.serverPrefix);
  state.tools.set(part.callId, { name, status, input: part.input });
  const base = { sessionId: state.sessionId, toolId: part.callId, toolName: name };
  const events: AgentEvent[] = [];
  if (before === "announced" && status !== "announced") {
    events.push({ type: "tool-start", ...base, kind: toolKindOf(part.tool), input: part.input });
  }
  if (before !== "ended" && status === "ended") {
    events.push({ type: "tool-end", ...base, isError: part.status === "error", output: part.output });
  }
  return { state, events };
}

/** Invariant 3. */
function countStep(
  state: TranslationState,
  part: Extract<OpenCodePart, { readonly type: "step-finish" }>,
): Translation {
  if (state.countedSteps.has(part.id)) return { state, events: [] };
  state.countedSteps.add(part.id);
  return { state, events: [{ type: "usage", sessionId: state.sessionId, usage: part.usage }] };
}

/** Invariant 4. */
function translateSubagentEvent(state: TranslationState, event: OpenCodeEvent, subagentId: string): Translation {
  const before = state.subagents.get(subagentId);
  const after = (
    now: { readonly isRunning: boolean; readonly hasFailed: boolean },
    event?: AgentEvent,
  ): Translation => {
    state.subagents.set(subagentId, now);
    return { state, events: event === undefined ? [] : [event] };
  };
  const { sessionId } = state;
  switch (event.type) {
    case "session.created": {
      if (before !== undefined) return { state, events: [] };
      const title = stringOf(recordOf(event.properties.info).title);
      return after({ isRunning: true, hasFailed: false }, { type: "subagent-start", sessionId, subagentId, title });
    }
    case "session.error":
      return after({ isRunning: before?.isRunning ?? true, hasFailed: true });
    case "session.status":
      return { state, events: waitingEvents(sessionId, event) };
    case "session.idle": {
      if (before?.isRunning === false) return { state, events: [] };
      const isError = before?.hasFailed ?? false;
      return after({ isRunning: false, hasFailed: isError }, { type: "subagent-end", sessionId, subagentId, isError });
    }
    case "message.part.updated": {
      const part = parsePart(event.properties.part);
      if (part.type === "step-finish") return countStep(state, part);
      if (part.type === "tool") translateTool(state, part);
      return vendor(state, event);
    }
    case "permission.asked":
    case "question.asked":
      return { state, events: [] };
    default:
      return vendor(state, event);
  }
}

/** OpenCode waits before it asks the model again. */
function waitingEvents(sessionId: string, event: OpenCodeEvent): readonly AgentEvent[] {
  const { type, attempt, message, next } = recordOf(event.properties.status);
  if (type !== "retry") return [];
  const retryAt = numberOf(next);
  const words = stringOf(message);
  return [
    {
      type: "waiting",
      sessionId,
      reason: toWaitingReason(words),
      message: words,
      ...(retryAt > 0 ? { retryAt } : {}),
      ...(numberOf(attempt) > 0 ? { attempt: numberOf(attempt) } : {}),
    },
  ];
}
