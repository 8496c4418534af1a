import {
  type AgentEvent,
  addUsage,
  endsWait,
  isRecord,
  NO_USAGE,
  type Usage,
  type Waiting,
} from "../../contracts/index.ts";
import type {
  ChatEntry,
  NoticeEntry,
  ShellEntry,
  TextEntry,
  ThinkingEntry,
  ToolEntry,
  UserEntry,
} from "./chat-entry.ts";
import { isShellRunning } from "./shell-outcome.ts";
import { splitBlock } from "./split-block.ts";

/** The turn in progress. */
export interface ActiveTurn {
  readonly startedAt: number;
  /** What the agent does: `waiting for the model`, `thinking`, `writing`, or a tool's name. */
  readonly activity: string;
  /** Since when it does that. */
  readonly since: number;
  readonly waiting?: Waiting | undefined;
  readonly usage: Usage;
  /** How much of a text is of earlier model calls: it stays when an answer starts again. */
  readonly kept?: { readonly entryId: string; readonly length: number };
}

/** A conversation, as it is shown. A new value for each change; entries that did not change are the same objects. */
export interface ChatModel {
  readonly entries: readonly ChatEntry[];
  readonly turn: ActiveTurn | undefined;
  readonly usage: Usage;
  /** How many entries have been made, for their ids. */
  readonly entryCount: number;
  /** Which conversation of this chat it is: another one has entries with the same ids. */
  readonly conversation: number;
}

/** A conversation without messages. */
export const EMPTY_CHAT: ChatModel = { entries: [], turn: undefined, usage: NO_USAGE, entryCount: 0, conversation: 0 };

/** Another conversation in place of this one. */
export function replaceChat(
  model: ChatModel,
  stored: Partial<Pick<ChatModel, "entries" | "entryCount">> = {},
): ChatModel {
  return { ...EMPTY_CHAT, ...stored, conversation: model.conversation + 1 };
}

/** An entry without its id, which the model adds. */
export type NewEntry = ChatEntry extends infer Entry ? (Entry extends ChatEntry ? Omit<Entry, "id"> : never) : never;

/** The conversation with one more entry. */
export function addEntry(model: ChatModel, entry: NewEntry): ChatModel {
  // An entry with its id is an entry of the same type.
  const added = { ...entry, id: `e${model.entryCount + 1}` } as ChatEntry;
  return { ...model, entries: [...model.entries, added], entryCount: model.entryCount + 1 };
}

/** A line of Atomic itself. */
export function addNotice(
  model: ChatModel,
  { at, text, tone = "info", isMarkdown = false }: Partial<NoticeEntry> & Pick<NoticeEntry, "at" | "text">,
): ChatModel {
  return addEntry(model, { type: "notice", at, text, tone, isMarkdown });
}

/** A message of the user; unless it steers a turn in progress, its turn starts. */
export function addUserMessage(
  model: ChatModel,
  message: {
    readonly at: number;
    readonly text: string;
    readonly attachments?: readonly string[];
    readonly pastes?: UserEntry["pastes"];
    readonly isSteering?: boolean;
  },
): ChatModel {
  const { at, text, attachments = [], pastes = [], isSteering = false } = message;
  // A message that is not for the turn in progress is the end of what was said before.
  const before = isSteering ? model : closeText(model, at);
  const pasted = pastes.length === 0 ? {} : { pastes };
  const next = addEntry(before, { type: "user", at, text, attachments, isSteering, ...pasted });
  return isSteering ? next : startTurn(next, at);
}

/** The turn of a message that is not shown. */
export function startTurn(model: ChatModel, at: number): ChatModel {
  return { ...model, turn: { startedAt: at, activity: "waiting for the model", since: at, usage: NO_USAGE } };
}

/** The conversation after an event of its agent. */
export function reduceChat(model: ChatModel, event: AgentEvent): ChatModel {
  const { at } = event;
  switch (event.type) {
    case "turn-start":
      return model.turn === undefined ? startTurn(closeText(model, at), at) : act(model, "waiting for the model", at);
    case "text-delta":
      return act(addText(model, event.text, at), "writing", at);
    case "text-restart":
      return dropCutText(model, at);
    case "thinking-delta":
      return act(addThinking(model, event.text, at), "thinking", at);
    case "tool-start": {
      const { toolId, toolName, kind, input } = event;
      const tool = { type: "tool", at, toolId, toolName, kind, input, status: "running", output: "" } as const;
      return act(addEntry(closeText(model, at), tool), toolName, at);
    }
    case "tool-end":
      return act(endTool(model, event), "waiting for the model", at);
    case "permission-ask":
      return act(attachRequest(model, event), "asks you", at);
    case "permission-denied":
      return denyTool(model, event);
    case "question-ask":
      return act(model, "asks you", at);
    case "subagent-start": {
      const { subagentId, title, subagentType, task } = event;
      return addEntry(closeText(model, at), {
        ...{ type: "subagent", at, subagentId, title, status: "running" },
        ...(subagentType === undefined ? {} : { subagentType }),
        ...(task === undefined ? {} : { task }),
      });
    }
    case "subagent-end":
      return changeLast(
        model,
        (entry) => entry.type === "subagent" && entry.subagentId === event.subagentId,
        (entry) => ({
          ...entry,
          status: event.isError ? "failed" : "done",
          endedAt: at,
          ...(event.result === undefined ? {} : { result: event.result }),
        }),
      );
    case "usage":
      return spend(keepText(endCall(model, at)), event.usage);
    case "compacted":
      return addNotice(closeText(model, at), { at, text: "The conversation was compacted." });
    case "stalled":
      return addNotice(closeText(model, at), {
        at,
        tone: "warning",
        text: `The agent has been silent for ${Math.round(event.silentMs / 1000)}s.`,
      });
    case "waiting":
      return model.turn === undefined ? model : { ...model, turn: { ...model.turn, waiting: event } };
    case "error":
      return addNotice(closeText(model, at), { at, tone: "error", text: event.message });
    case "turn-end":
      return endTurn(clearWait(model, event), event);
    case "vendor":
      return event.name === "plan" ? addPlan(model, event) : model;
  }
}

/** More output of the user's own command, or its end. */
export function reduceShell(
  model: ChatModel,
  id: string,
  { output = "", at, ...end }: Pick<ShellEntry, "at" | "exitCode" | "ending"> & { readonly output?: string },
): ChatModel {
  return changeLast(
    model,
    (entry) => entry.id === id,
    (entry) => ({
      ...(entry as ShellEntry), // ids are unique, and the caller has this one from a shell entry
      output: (entry as ShellEntry).output + output,
      ...(isShellRunning(end) ? {} : { ...end, endedAt: at }),
    }),
  );
}

/** The conversation up to an entry, without it. */
export function cutBefore(model: ChatModel, entryId: string): ChatModel {
  const index = model.entries.findIndex(({ id }) => id === entryId);
  return index === -1 ? model : { ...model, entries: model.entries.slice(0, index) };
}

function clearWait(model: ChatModel, event: AgentEvent): ChatModel {
  if (model.turn?.waiting === undefined || !endsWait(event)) return model;
  return { ...model, turn: { ...model.turn, waiting: undefined } };
}

/** The turn with what the agent does now. The same object when it already did that. */
function act(model: ChatModel, activity: string, at: number): ChatModel {
  const { turn } = model;
  if (turn === undefined || (turn.activity === activity && turn.waiting === undefined)) return model;
  const since = turn.activity === activity ? turn.since : at;
  return { ...model, turn: { ...turn, activity, since, waiting: undefined } };
}

function addText(model: ChatModel, more: string, at: number): ChatModel {
  const index = openIndex(model);
  const open = model.entries[index];
  if (open?.type !== "text") {
    // The empty lines before a paragraph separate it from a text that is another entry.
    const text = more.replace(/^\n+/, "");
    return text === "" ? model : addEntry(closeText(model, at), { type: "text", at, text, isStreaming: true });
  }
  // What came meanwhile is below the block that is being written: it must not cut a sentence in two.
  const isLast = index === model.entries.length - 1;
  const { block, rest } = isLast ? { block: more, rest: undefined } : splitBlock(open.text, more);
  const continued = replaceAt(model, index, { ...open, text: open.text + block, isStreaming: rest === undefined });
  return rest === undefined || rest === "" ? continued : addText(continued, rest, at);
}

function addThinking(model: ChatModel, more: string, at: number): ChatModel {
  const index = openIndex(model);
  const open = model.entries[index];
  if (open?.type === "thinking") return replaceAt(model, index, { ...open, text: open.text + more });
  return addEntry(closeText(model, at), { type: "thinking", at, text: more });
}

/** Ends the text or thought that streams, because something else follows. */
function closeText(model: ChatModel, at: number): ChatModel {
  const index = openIndex(model);
  const open = model.entries[index];
  if (open?.type === "text") return replaceAt(model, index, { ...open, isStreaming: false });
  if (open?.type === "thinking") return replaceAt(model, index, { ...open, endedAt: at });
  return model;
}

/** Where the text or thought that streams is: the last entry, or before those that are not the agent's. -1 for none. */
function openIndex({ entries }: ChatModel): number {
  const index = entries.findLastIndex(({ type }) => type !== "user" && type !== "notice" && type !== "shell");
  const entry = entries[index];
  const isOpen = entry?.type === "text" ? entry.isStreaming : entry?.type === "thinking" && entry.endedAt === undefined;
  return isOpen ? index : -1;
}

/** The text that streams is no longer that of a call which could start again. */
function keepText(model: ChatModel): ChatModel {
  const open = model.entries[openIndex(model)];
  if (open?.type !== "text" || model.turn === undefined) return model;
  return { ...model, turn: { ...model.turn, kept: { entryId: open.id, length: open.text.length } } };
}

/** The conversation without the text of an answer that broke off. What follows it is another entry. */
function dropCutText(model: ChatModel, at: number): ChatModel {
  const index = openIndex(model);
  const open = model.entries[index];
  if (open?.type !== "text") return model;
  const { kept } = model.turn ?? {};
  const text = open.text.slice(0, kept?.entryId === open.id ? kept.length : 0).trimEnd();
  const entries =
    text === "" ? model.entries.toSpliced(index, 1) : model.entries.with(index, { ...open, text, isStreaming: false });
  return addNotice({ ...model, entries }, { at, text: "The answer broke off, and starts again." });
}

function replaceAt(model: ChatModel, index: number, entry: TextEntry | ThinkingEntry): ChatModel {
  return { ...model, entries: model.entries.with(index, entry) };
}

function changeLast(
  model: ChatModel,
  isWanted: (entry: ChatEntry) => boolean,
  change: (entry: ChatEntry) => object,
): ChatModel {
  const index = model.entries.findLastIndex(isWanted);
  const entry = model.entries[index];
  if (entry === undefined) return model;
  // The change keeps the type of the entry.
  return { ...model, entries: model.entries.with(index, change(entry) as ChatEntry) };
}

/** The conversation with the places of an edit's new texts. */
export function addPlaces(model: ChatModel, id: string, places: ToolEntry["places"]): ChatModel {
  return changeLast(
    model,
    (entry) => entry.id === id,
    (entry) => ({ ...entry, places }),
  );
}

/** The plan of an agent over ACP, which it sends whole with each change, as the list of tasks that other agents write with a tool. */
function addPlan(model: ChatModel, { at, data }: Extract<AgentEvent, { type: "vendor" }>): ChatModel {
  if (!isRecord(data) || !Array.isArray(data.entries)) return model;
  const input = { todos: data.entries.slice(0, MAX_PLAN) };
  const before = model.entries.findLast((entry) => entry.type === "tool" && entry.toolName === PLAN);
  if (before?.type === "tool" && JSON.stringify(before.input) === JSON.stringify(input)) return model;
  const tool = { toolId: PLAN, toolName: PLAN, kind: "other", input, status: "done", output: "", endedAt: at } as const;
  return addEntry(closeText(model, at), { type: "tool", at, ...tool });
}

const PLAN = "plan";

/** The longest plan that is kept. */
const MAX_PLAN = 500;

function isTool(toolId: string): (entry: ChatEntry) => boolean {
  return (entry) => entry.type === "tool" && entry.toolId === toolId;
}

function endTool(model: ChatModel, event: Extract<AgentEvent, { type: "tool-end" }>): ChatModel {
  return changeLast(model, isTool(event.toolId), (entry) => {
    const tool = entry as ToolEntry; // found by isTool
    const status = tool.status === "denied" ? "denied" : event.isError ? "failed" : "done";
    return { ...tool, status, output: event.output, endedAt: event.at };
  });
}

/** The call that a request is about. None where several could be meant: a wrong one would show what nobody approved. */
function attachRequest(model: ChatModel, { request }: Extract<AgentEvent, { type: "permission-ask" }>): ChatModel {
  const running = runningCalls(model, request.toolName);
  const call = running.find(({ toolId }) => toolId === request.id) ?? only(running);
  return call === undefined ? model : changeLast(model, isTool(call.toolId), (entry) => ({ ...entry, request }));
}

function denyTool(model: ChatModel, event: Extract<AgentEvent, { type: "permission-denied" }>): ChatModel {
  const { toolName, title, reason } = event.denied;
  const running = runningCalls(model, toolName);
  const isFailed = (entry: ChatEntry): boolean =>
    entry.type === "tool" && entry.toolName === toolName && entry.status === "failed";
  const call = only(running);
  const isAbout = running.length === 0 ? isFailed : call === undefined ? () => false : isTool(call.toolId);
  const denied = changeLast(model, isAbout, (entry) => ({ ...entry, status: "denied", reason, endedAt: event.at }));
  if (denied !== model) return denied;
  return addNotice(closeText(model, event.at), { at: event.at, tone: "warning", text: `Denied: ${title}. ${reason}` });
}

function runningCalls({ entries }: ChatModel, toolName: string): readonly ToolEntry[] {
  return entries.filter(
    (entry) => entry.type === "tool" && entry.toolName === toolName && entry.status === "running",
  ) as ToolEntry[];
}

function only<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** A model call has ended: what the next one says is about what came meanwhile, and belongs below it. */
function endCall(model: ChatModel, at: number): ChatModel {
  return openIndex(model) === model.entries.length - 1 ? model : closeText(model, at);
}

function spend(model: ChatModel, usage: Usage): ChatModel {
  const { turn } = model;
  const spent = turn === undefined ? undefined : { ...turn, usage: addUsage(turn.usage, usage) };
  return { ...model, usage: addUsage(model.usage, usage), turn: spent };
}

function endTurn(model: ChatModel, { outcome, at }: Extract<AgentEvent, { type: "turn-end" }>): ChatModel {
  const { turn } = model;
  if (turn === undefined) return closeText(model, at);
  const closed = closeText(model, at);
  // What still runs ended with the turn.
  const entries = closed.entries.map((entry) =>
    (entry.type === "tool" || entry.type === "subagent") && entry.status === "running"
      ? ({ ...entry, status: "failed", endedAt: at } as const)
      : entry,
  );
  const durationMs = Math.max(0, at - turn.startedAt);
  const ended = { type: "turn-end", at, outcome, durationMs, usage: turn.usage } as const;
  return addEntry({ ...closed, entries, turn: undefined }, ended);
}
