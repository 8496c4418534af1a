import { type AgentEventBody, filledTexts, recordOf, stringOf } from "../../../contracts/index.ts";
import { announceRestart } from "../../turn/announce-restart.ts";
import { toolKindOf } from "./opencode-permissions.ts";
import { nameModelOffline, toWaitingReason } from "./server/opencode-errors.ts";
import { bareToolName } from "./server/opencode-servers.ts";
import {
  numberOf,
  type OpenCodeEvent,
  type OpenCodeMessage,
  type OpenCodePart,
  parseMessage,
  parsePart,
  sessionIdOf,
} from "./server/opencode-wire.ts";

/** The author of a message's text; a `summary` was written by a compaction. */
type MessageRole = "user" | "assistant" | "summary";

/** The progress of one part's text. */
interface PartProgress {
  readonly messageId: string;
  /** Unknown while only deltas have come, which do not show whether they are thinking. */
  readonly type?: "text" | "reasoning";
  readonly received: string;
  /** The end of `received` that was not passed on yet. Slicing `received` would copy the whole text with every delta. */
  readonly pending: string;
  readonly isComplete: boolean;
}

/** A tool call that the translator knows. */
export interface KnownTool {
  /** Without the prefix of the session's MCP servers. */
  readonly name: string;
  readonly input: unknown;
  readonly status: "announced" | "running" | "ended";
}

interface KnownSubagent {
  readonly isRunning: boolean;
  readonly hasFailed: boolean;
  /** Its last text, which is its answer once it has ended, or its error. */
  readonly lastText: string;
}

/**
 * What the translator remembers of a turn. The next state reuses the maps of the previous one, which is then invalid:
 * copying them would make each event of a long turn cost more than the one before.
 */
export interface TranslationState {
  readonly sessionId: string;
  /** The prefix of the session's own MCP servers. */
  readonly serverPrefix: string;
  /** Whether the model is known to cost nothing. */
  readonly isFree: boolean;
  readonly messages: Map<string, MessageRole>;
  /** The model's message in progress; empty before the first one. */
  readonly answerId: string;
  /** The model of that message, as `provider/model`; empty before the first one. */
  readonly model: string;
  /** The message with the structured answer, after which OpenCode does not call the model again. */
  readonly structuredId: string;
  readonly parts: Map<string, PartProgress>;
  /** The part with the last text, unless a tool was called after it. */
  readonly speaker?: string;
  /** The `speaker` when the last model call ended. */
  readonly endedSpeaker?: string | undefined;
  /** Whether OpenCode repeats a model call that has said something. */
  readonly isCut?: boolean;
  /** The parts that came before their message, by message id. */
  readonly earlyParts: Map<string, Set<string>>;
  /** By call id. */
  readonly tools: Map<string, KnownTool>;
  /** The model calls whose tokens were reported. */
  readonly countedSteps: Set<string>;
  readonly subagents: Map<string, KnownSubagent>;
}

/** The new state, and the translation of one vendor event. */
export interface Translation {
  readonly state: TranslationState;
  readonly events: readonly AgentEventBody[];
  /** Set when one of the session's own model calls, not a sub-agent's, has ended; `isLast` if no other follows. */
  readonly finishedCall?: { readonly isLast: boolean };
}

/** The tool through which OpenCode takes a structured answer; not one of the agent's tools. */
const STRUCTURED_OUTPUT_TOOL = "StructuredOutput";

/** Vendor events that Atomic reports in another way: the turn's end, permission requests and questions. */
const SILENT_TYPES: ReadonlySet<string> = new Set([
  "session.idle",
  "session.error",
  "permission.asked",
  "question.asked",
  "message.removed",
]);

/** The state at the beginning of a turn. */
export function startTranslation(
  sessionId: string,
  { serverPrefix, isFree = false }: Pick<TranslationState, "serverPrefix"> & Partial<Pick<TranslationState, "isFree">>,
): TranslationState {
  const texts = { messages: new Map(), answerId: "", model: "", structuredId: "", parts: new Map() };
  const calls = { earlyParts: new Map(), tools: new Map(), countedSteps: new Set<string>(), subagents: new Map() };
  return { sessionId, serverPrefix, isFree, ...texts, ...calls };
}

/**
 * Translates one event of a session or of one of its sub-agents. Depends only on the event and the state, which is invalid
 * afterwards. Must not throw, whatever OpenCode sends.
 *
 * 1. Text is passed on once, whether it comes as deltas, as a whole part, or as both in either order.
 * 2. Every tool call produces one `tool-start` and at most one `tool-end`, in this order.
 * 3. Every model call produces one `usage`, including those of sub-agents and compactions. OpenCode reports a cost of 0 for
 *    a model whose price it does not know: unless the model is known to cost nothing, this cost is left out.
 * 4. Parts of a text without a tool between them are separate paragraphs.
 * 5. The repetition of an answer that broke off begins with a `text-restart`.
 * 6. The text of sub-agents does not count as the session's; it is passed on as `vendor`, like everything unknown.
 */
export function translateOpenCodeEvent(state: TranslationState, event: OpenCodeEvent): Translation {
  const sessionId = sessionIdOf(event) ?? state.sessionId;
  if (sessionId !== state.sessionId) return translateSubagentEvent(state, event, sessionId);
  const translation = translateOwnEvent(state, event);
  return { ...translation, ...announceRestart(translation) };
}

function translateOwnEvent(state: TranslationState, event: OpenCodeEvent): Translation {
  const { sessionId } = state;
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
      return noteRetry(state, waitingEvents(state, event));
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
  const model = message.providerId === "" ? "" : `${message.providerId}/${message.modelId}`;
  const known = role === "assistant" ? { ...state, answerId: message.id, model } : state;
  return waiting.reduce<Translation>(
    (before, partId) => {
      const part = parts.get(partId);
      if (part === undefined) return before;
      const emitted = emitText(before.state, partId, part);
      return { state: emitted.state, events: [...before.events, ...emitted.events] };
    },
    { state: known, events: [] },
  );
}

function translatePart(state: TranslationState, event: OpenCodeEvent): Translation {
  const part = parsePart(event.properties.part);
  switch (part.type) {
    case "text":
    case "reasoning":
      return emitText(state, part.id, withWholeText(state.parts.get(part.id), part));
    case "tool":
      if (part.tool !== STRUCTURED_OUTPUT_TOOL) return translateToolEvent(state, part, event);
      return vendor(part.status === "completed" ? { ...state, structuredId: part.messageId } : state, event);
    case "step-finish": {
      const step = countStep({ ...state, endedSpeaker: state.speaker }, part);
      const isLast = !part.hasToolCalls || part.messageId === state.structuredId;
      return step.events.length === 0 ? step : { ...step, finishedCall: { isLast } };
    }
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

/** Invariant 1: the whole text continues from its deltas where it can; deltas out of order stay as they came. */
function withWholeText(
  before: PartProgress | undefined,
  part: Extract<OpenCodePart, { readonly type: "text" | "reasoning" }>,
): PartProgress {
  const known = { ...(before ?? emptyPart(part.messageId)), type: part.type };
  if (part.text.startsWith(known.received)) {
    const pending = known.pending + part.text.slice(known.received.length);
    return { ...known, received: part.text, pending, isComplete: known.isComplete || part.isComplete };
  }
  // OpenCode trims the end of a finished text.
  const isSame = known.received.trimEnd() === part.text.trimEnd();
  return { ...known, isComplete: known.isComplete || (part.isComplete && isSame) };
}

/** Invariant 4. */
function emitText(state: TranslationState, partId: string, part: PartProgress): Translation {
  const { sessionId, messages, parts, speaker } = state;
  const role = messages.get(part.messageId);
  const text = part.pending;
  if (role === undefined) noteEarlyPart(state, partId, part);
  if (role !== "assistant" || part.type === undefined || text === "") {
    parts.set(partId, part);
    return { state, events: [] };
  }
  parts.set(partId, { ...part, pending: "" });
  if (part.type === "reasoning") return { state, events: [{ type: "thinking-delta", sessionId, text }] };
  const gap = speaker === undefined || speaker === partId ? "" : "\n\n";
  return { state: { ...state, speaker: partId }, events: [{ type: "text-delta", sessionId, text: gap + text }] };
}

function noteEarlyPart({ earlyParts }: TranslationState, partId: string, { messageId }: PartProgress): void {
  const waiting = earlyParts.get(messageId);
  if (waiting === undefined) earlyParts.set(messageId, new Set([partId]));
  else waiting.add(partId);
}

/** A running tool's progress (its output so far) has no counterpart, so it is passed on. */
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
  const events: AgentEventBody[] = [];
  const { speaker: _, ...rest } = state;
  const hasStarted = before === "announced" && status !== "announced";
  if (hasStarted) {
    events.push({ type: "tool-start", ...base, kind: toolKindOf(part.tool), input: part.input });
  }
  if (before !== "ended" && status === "ended") {
    events.push({ type: "tool-end", ...base, isError: part.status === "error", output: part.output });
  }
  return { state: hasStarted ? rest : state, events };
}

/** Invariant 3. */
function countStep(
  state: TranslationState,
  part: Extract<OpenCodePart, { readonly type: "step-finish" }>,
): Translation {
  if (state.countedSteps.has(part.id)) return { state, events: [] };
  state.countedSteps.add(part.id);
  const { costUsd, ...tokens } = part.usage;
  const usage = costUsd === 0 && !state.isFree ? tokens : part.usage;
  return { state, events: [{ type: "usage", sessionId: state.sessionId, usage }] };
}

/** Invariant 6. */
function translateSubagentEvent(state: TranslationState, event: OpenCodeEvent, subagentId: string): Translation {
  const before = state.subagents.get(subagentId);
  const { hasFailed = false, lastText = "" } = before ?? {};
  const { sessionId } = state;
  switch (event.type) {
    case "session.created":
      return startSubagent(state, event, subagentId);
    case "session.error": {
      const message = stringOf(recordOf(recordOf(event.properties.error).data).message);
      state.subagents.set(subagentId, { isRunning: before?.isRunning ?? true, hasFailed: true, lastText: message });
      return { state, events: [] };
    }
    case "session.status":
      return { state, events: waitingEvents({ sessionId, model: "" }, event) };
    case "session.idle": {
      if (before?.isRunning === false) return { state, events: [] };
      state.subagents.set(subagentId, { isRunning: false, hasFailed, lastText: "" });
      const result = filledTexts({ result: lastText });
      return { state, events: [{ type: "subagent-end", sessionId, subagentId, isError: hasFailed, ...result }] };
    }
    case "message.updated": {
      const message = parseMessage(event.properties.info);
      state.messages.set(message.id, message.role === "user" ? "user" : message.isSummary ? "summary" : "assistant");
      return vendor(state, event);
    }
    case "message.part.updated": {
      const part = parsePart(event.properties.part);
      if (part.type === "step-finish") return countStep(state, part);
      if (part.type === "tool") translateTool(state, part);
      const isSaid = part.type === "text" && state.messages.get(part.messageId) === "assistant";
      if (isSaid && part.text !== "" && before !== undefined && !hasFailed)
        state.subagents.set(subagentId, { ...before, lastText: part.text });
      return vendor(state, event);
    }
    case "permission.asked":
    case "question.asked":
      return { state, events: [] };
    default:
      return vendor(state, event);
  }
}

function startSubagent(state: TranslationState, event: OpenCodeEvent, subagentId: string): Translation {
  if (state.subagents.has(subagentId)) return { state, events: [] };
  state.subagents.set(subagentId, { isRunning: true, hasFailed: false, lastText: "" });
  const { sessionId } = state;
  const info = recordOf(event.properties.info);
  const title = stringOf(info.title);
  const facts = filledTexts({ subagentType: stringOf(info.agent), task: findTask(state, title) });
  return { state, events: [{ type: "subagent-start", sessionId, subagentId, title, ...facts }] };
}

/** The prompt of the call that produced a sub-agent's title; empty if calls with the same title differ in it. */
function findTask({ tools }: TranslationState, title: string): string {
  const tasks = new Set<string>();
  for (const { name, status, input } of tools.values()) {
    const { description, subagent_type: type, prompt } = recordOf(input);
    if (name !== "task" || status !== "running" || title !== `${stringOf(description)} (@${stringOf(type)} subagent)`)
      continue;
    tasks.add(stringOf(prompt));
  }
  const [task = ""] = tasks;
  return tasks.size === 1 ? task : "";
}

/** Invariant 5. */
function noteRetry(state: TranslationState, events: readonly AgentEventBody[]): Translation {
  const isCut = events.length > 0 && state.speaker !== undefined && state.speaker !== state.endedSpeaker;
  return { state: isCut ? { ...state, isCut } : state, events };
}

/** OpenCode waits before it calls the model again. */
function waitingEvents(
  { sessionId, model }: Pick<TranslationState, "sessionId" | "model">,
  event: OpenCodeEvent,
): readonly AgentEventBody[] {
  const { type, attempt, message, next } = recordOf(event.properties.status);
  if (type !== "retry") return [];
  const retryAt = numberOf(next);
  const words = stringOf(message);
  return [
    {
      type: "waiting",
      sessionId,
      reason: toWaitingReason(words),
      message: nameModelOffline(words, model),
      ...(retryAt > 0 ? { retryAt } : {}),
      ...(numberOf(attempt) > 0 ? { attempt: numberOf(attempt) } : {}),
    },
  ];
}
