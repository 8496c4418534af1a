import {
  type AgentEventBody,
  countOf,
  filledTexts,
  messageOf,
  recordOf,
  stringOf,
  type ToolKind,
  type Usage,
} from "../../../contracts/index.ts";
import { announceRestart } from "../../turn/announce-restart.ts";
import type { CopilotEvent } from "./copilot-wire.ts";
import { toolKindOf } from "./runtime/copilot-tools.ts";

interface TextProgress {
  readonly passedOn: string;
  readonly isComplete: boolean;
}

/** A tool call that the translator knows. */
export interface KnownTool {
  readonly name: string;
  readonly kind: ToolKind;
  readonly input: unknown;
  readonly status: "running" | "ended";
}

interface KnownSubagent {
  readonly status: "running" | "ended";
  /** What it said last: its answer, once it has ended. */
  readonly lastText: string;
}

/**
 * What the translator remembers of a turn. The next state reuses the maps of the previous one, which is then invalid:
 * copying them would make each event of a long turn cost more than the one before.
 */
export interface TranslationState {
  readonly sessionId: string;
  /** The names of the tools that Atomic offers. */
  readonly customTools: readonly string[];
  /** How much of each message and each thought was passed on, by id. */
  readonly texts: Map<string, TextProgress>;
  /** By call id, including those of sub-agents. */
  readonly tools: Map<string, KnownTool>;
  /** The running ones of `tools`. */
  readonly runningTools: Map<string, KnownTool>;
  readonly subagents: Map<string, KnownSubagent>;
  /** The message with the last text, if no tool has started since. */
  readonly speaker?: string;
  /** Whether a model call has failed that had said something. */
  readonly isCut?: boolean;
}

/** The new state, and the translation of one vendor event. */
export interface Translation {
  readonly state: TranslationState;
  readonly events: readonly AgentEventBody[];
}

/** Vendor events that Atomic reports in another way: the turn's end, its error, permission requests and questions. */
const SILENT_TYPES: ReadonlySet<string> = new Set([
  "permission.requested",
  "session.error",
  "session.idle",
  "user_input.requested",
]);

/** The runtime's own log of its model calls, which may repeat the whole conversation as `messages`. */
const LOG_PREFIX = "model.";

/** The state at the beginning of a turn; `customTools` are the names of Atomic's tools. */
export function startTranslation(sessionId: string, customTools: readonly string[] = []): TranslationState {
  const calls = { tools: new Map(), runningTools: new Map(), subagents: new Map() };
  return { sessionId, customTools, texts: new Map(), ...calls };
}

/**
 * Translates one event of a session or of one of its sub-agents. Depends only on the event and the state, which is invalid
 * afterwards. Must not throw, whatever Copilot sends.
 *
 * 1. Text is passed on once, whether it comes as deltas, as a whole message, or as both.
 * 2. Every tool call produces one `tool-start` and at most one `tool-end`, in this order.
 * 3. Every model call produces one `usage`, including those of sub-agents and compactions.
 * 4. Messages without a tool between them are separate paragraphs.
 * 5. The repetition of an answer that broke off begins with a `text-restart`.
 * 6. The text and tools of sub-agents do not count as the session's; they are passed on as `vendor`, like everything
 *    unknown.
 */
export function translateCopilotEvent(state: TranslationState, event: CopilotEvent): Translation {
  const shared = translateShared(state, event);
  if (shared !== undefined) return shared;
  if (event.agentId !== undefined) {
    // Its tools need permission like the session's.
    if (event.type === "assistant.message") noteSubagentText(state, event.agentId, stringOf(event.data.content));
    if (event.type === "tool.execution_start") noteTool(state, event);
    if (event.type === "tool.execution_complete") state.runningTools.delete(stringOf(event.data.toolCallId));
    return { state, events: vendorEvents(state, event) };
  }
  return announceRestart(translateOwn(state, event));
}

function translateOwn(state: TranslationState, event: CopilotEvent): Translation {
  const { data } = event;
  switch (event.type) {
    case "assistant.message_delta":
      return passOnDelta(state, { key: `message ${stringOf(data.messageId)}`, type: "text-delta", data });
    case "assistant.reasoning_delta":
      return passOnDelta(state, { key: `thought ${stringOf(data.reasoningId)}`, type: "thinking-delta", data });
    case "assistant.message":
      return passOnWhole(state, { key: `message ${stringOf(data.messageId)}`, type: "text-delta", data });
    case "assistant.reasoning":
      return passOnWhole(state, { key: `thought ${stringOf(data.reasoningId)}`, type: "thinking-delta", data });
    case "tool.execution_start":
      return startTool(state, event);
    case "tool.execution_complete":
      return endTool(state, event);
    default:
      return { state, events: vendorEvents(state, event) };
  }
}

/** Events that mean the same in the session and in its sub-agents. */
function translateShared(state: TranslationState, event: CopilotEvent): Translation | undefined {
  const { sessionId } = state;
  switch (event.type) {
    case "assistant.usage":
      return { state, events: [{ type: "usage", sessionId, usage: parseUsage(event.data) }] };
    case "session.compaction_complete":
      return { state, events: compactionEvents(state, event) };
    case "model.call_failure":
      return { state: event.agentId === undefined ? noteCut(state) : state, events: waitingEvents(state, event) };
    case "subagent.started":
    case "subagent.completed":
    case "subagent.failed":
      return translateSubagent(state, event);
    default:
      return undefined;
  }
}

function vendorEvents(state: TranslationState, { type, data, agentId }: CopilotEvent): readonly AgentEventBody[] {
  if (type === "" || SILENT_TYPES.has(type)) return [];
  const { messages: _, ...facts } = data;
  const about = type.startsWith(LOG_PREFIX) ? facts : data;
  const withAgent = agentId === undefined ? about : { ...about, agentId };
  return [{ type: "vendor", sessionId: state.sessionId, name: type, data: withAgent }];
}

/** A piece of a text. */
interface TextPiece {
  readonly key: string;
  readonly type: "text-delta" | "thinking-delta";
  readonly data: CopilotEvent["data"];
}

function passOnDelta(state: TranslationState, { key, type, data }: TextPiece): Translation {
  const before = state.texts.get(key) ?? { passedOn: "", isComplete: false };
  const text = stringOf(data.deltaContent);
  if (text === "" || before.isComplete) return { state, events: [] };
  state.texts.set(key, { passedOn: before.passedOn + text, isComplete: false });
  return say(state, { key, type, text });
}

/** Invariant 1: the whole text continues from its deltas where it can. */
function passOnWhole(state: TranslationState, { key, type, data }: TextPiece): Translation {
  const { passedOn, isComplete } = state.texts.get(key) ?? { passedOn: "", isComplete: false };
  const whole = stringOf(data.content);
  const rest = !isComplete && whole.startsWith(passedOn) ? whole.slice(passedOn.length) : "";
  state.texts.set(key, { passedOn: passedOn + rest, isComplete: true });
  return rest === "" ? { state, events: [] } : say(state, { key, type, text: rest });
}

/** Invariant 4. */
function say(
  state: TranslationState,
  { key, type, text }: Pick<TextPiece, "key" | "type"> & { readonly text: string },
): Translation {
  const { sessionId, speaker } = state;
  if (type === "thinking-delta") return { state, events: [{ type, sessionId, text }] };
  const gap = speaker === undefined || speaker === key ? "" : "\n\n";
  return { state: { ...state, speaker: key }, events: [{ type, sessionId, text: gap + text }] };
}

/** Remembers a call that begins; undefined if it is already known. */
function noteTool(state: TranslationState, { data }: CopilotEvent): KnownTool | undefined {
  const toolId = stringOf(data.toolCallId);
  if (state.tools.has(toolId)) return undefined;
  const toolName = stringOf(data.toolName);
  const isForeign = stringOf(data.mcpServerName) !== "" || state.customTools.includes(toolName);
  const kind = isForeign ? "mcp" : toolKindOf(toolName);
  const tool: KnownTool = { name: toolName, kind, input: data.arguments ?? {}, status: "running" };
  state.tools.set(toolId, tool);
  state.runningTools.set(toolId, tool);
  return tool;
}

function startTool(state: TranslationState, event: CopilotEvent): Translation {
  const tool = noteTool(state, event);
  if (tool === undefined) return { state, events: [] };
  const { sessionId } = state;
  const { name: toolName, kind, input } = tool;
  const { speaker: _, ...rest } = state;
  const toolId = stringOf(event.data.toolCallId);
  return { state: rest, events: [{ type: "tool-start", sessionId, toolId, toolName, kind, input }] };
}

function endTool(state: TranslationState, event: CopilotEvent): Translation {
  const { data } = event;
  const toolId = stringOf(data.toolCallId);
  const tool = state.tools.get(toolId);
  if (tool === undefined) return { state, events: vendorEvents(state, event) };
  if (tool.status === "ended") return { state, events: [] };
  const isError = data.success !== true;
  const output = stringOf(isError ? recordOf(data.error).message : recordOf(data.result).content);
  state.tools.set(toolId, { ...tool, status: "ended" });
  state.runningTools.delete(toolId);
  const { sessionId } = state;
  return { state, events: [{ type: "tool-end", sessionId, toolId, toolName: tool.name, isError, output }] };
}

function translateSubagent(state: TranslationState, event: CopilotEvent): Translation {
  const { sessionId } = state;
  const { data } = event;
  const subagentId = event.agentId ?? stringOf(data.toolCallId);
  const before = state.subagents.get(subagentId);
  if (event.type === "subagent.started") {
    if (before !== undefined) return { state, events: vendorEvents(state, event) };
    const title = stringOf(data.agentDescription) || stringOf(data.agentDisplayName);
    const { prompt } = recordOf(state.tools.get(stringOf(data.toolCallId))?.input);
    const facts = filledTexts({ subagentType: stringOf(data.agentName), task: stringOf(prompt) });
    state.subagents.set(subagentId, { status: "running", lastText: "" });
    return { state, events: [{ type: "subagent-start", sessionId, subagentId, title, ...facts }] };
  }
  if (before?.status !== "running") return { state, events: vendorEvents(state, event) };
  const isError = event.type === "subagent.failed";
  state.subagents.set(subagentId, { status: "ended", lastText: "" });
  const result = filledTexts({ result: isError ? stringOf(data.error) : before.lastText });
  return { state, events: [{ type: "subagent-end", sessionId, subagentId, isError, ...result }] };
}

function noteSubagentText({ subagents }: TranslationState, subagentId: string, text: string): void {
  if (text !== "" && subagents.get(subagentId)?.status === "running")
    subagents.set(subagentId, { status: "running", lastText: text });
}

/** Copilot's input tokens include those from the cache. Its prices are in units of its own. */
function parseUsage(data: CopilotEvent["data"]): Usage {
  const cacheReadTokens = countOf(data.cacheReadTokens);
  const cacheWriteTokens = countOf(data.cacheWriteTokens);
  return {
    inputTokens: Math.max(0, countOf(data.inputTokens) - cacheReadTokens - cacheWriteTokens),
    outputTokens: countOf(data.outputTokens),
    cacheReadTokens,
    cacheWriteTokens,
  };
}

function compactionEvents(state: TranslationState, event: CopilotEvent): readonly AgentEventBody[] {
  const { sessionId } = state;
  const { data, agentId } = event;
  const used = data.compactionTokensUsed;
  return [
    ...(used === undefined ? [] : [{ type: "usage", sessionId, usage: parseUsage(recordOf(used)) } as const]),
    ...(data.success === true && agentId === undefined
      ? [{ type: "compacted", sessionId } as const]
      : vendorEvents(state, event)),
  ];
}

/** Invariant 5. */
function noteCut(state: TranslationState): TranslationState {
  const isComplete = state.speaker === undefined || state.texts.get(state.speaker)?.isComplete !== false;
  return isComplete ? state : { ...state, isCut: true };
}

/** A failed model call, which the runtime retries by itself if that may help. */
function waitingEvents(state: TranslationState, event: CopilotEvent): readonly AgentEventBody[] {
  const { statusCode, errorMessage } = event.data;
  const reason = waitingReason(typeof statusCode === "number" ? statusCode : undefined);
  if (reason === undefined) return vendorEvents(state, event);
  return [
    { type: "waiting", sessionId: state.sessionId, reason, message: readProviderMessage(stringOf(errorMessage)) },
  ];
}

function waitingReason(
  statusCode: number | undefined,
): Extract<AgentEventBody, { type: "waiting" }>["reason"] | undefined {
  if (statusCode === undefined) return "network";
  if (statusCode === 429) return "rate-limit";
  if (statusCode === 503 || statusCode === 529) return "overload";
  return statusCode >= 500 || statusCode === 408 || statusCode === 409 ? "provider-error" : undefined;
}

/** The provider's error is JSON: an object with a `message`, or a string. */
function readProviderMessage(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "string" ? parsed : stringOf(recordOf(parsed).message) || text;
  } catch (error) {
    return text || messageOf(error);
  }
}
