import { isRecord, TOOL_KINDS, type UnknownRecord } from "../../contracts/index.ts";
import type { ChatEntry } from "./chat-entry.ts";
import { isShellRunning } from "./shell-outcome.ts";
import type { StoredComment } from "./stored-comments.ts";

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string";
const number: Check = (value) => typeof value === "number" && Number.isFinite(value);
const yesOrNo: Check = (value) => typeof value === "boolean";
const anything: Check = () => true;
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    typeof value === "string" && values.includes(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const fields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) && Object.entries(checks).every(([name, check]) => check(value[name]));

const KIND = oneOf(...TOOL_KINDS);

const DETAILS: Readonly<Record<string, Check>> = {
  edit: fields({
    changes: listOf(fields({ path: text, oldText: text, newText: text, isEverywhere: optional(yesOrNo) })),
  }),
  write: fields({ path: text, text }),
  patch: fields({ text }),
  fetch: fields({ address: text }),
  input: anything,
};

/** What the UI shows of a request. */
const REQUEST = fields({
  ...{ id: text, sessionId: text, kind: KIND, toolName: text, title: text, paths: listOf(text) },
  ...{ command: optional(text), step: optional(text), workingDirectory: optional(text) },
  details: optional(
    (details) =>
      isRecord(details) &&
      typeof details.type === "string" &&
      Object.hasOwn(DETAILS, details.type) &&
      DETAILS[details.type]?.(details) === true,
  ),
});

const PLACE = fields({ line: number, before: text, after: text });

const USAGE = fields({
  ...{ inputTokens: number, outputTokens: number, cacheReadTokens: number, cacheWriteTokens: number },
  costUsd: optional(number),
});

/** The fields that the UI reads, by type. Entries with others are left out. */
const ENTRIES: Readonly<Record<ChatEntry["type"], Check>> = {
  user: fields({
    ...{ text, attachments: listOf(text), isSteering: yesOrNo },
    pastes: optional(listOf(fields({ label: text, text }))),
  }),
  text: fields({ text }),
  thinking: fields({ text, endedAt: optional(number) }),
  tool: fields({
    ...{ toolId: text, toolName: text, kind: KIND, output: text, reason: optional(text), request: optional(REQUEST) },
    ...{ status: oneOf("running", "done", "failed", "denied"), endedAt: optional(number) },
    places: optional(listOf((place) => place === null || PLACE(place))),
  }),
  subagent: fields({
    ...{ subagentId: text, title: text, subagentType: optional(text), task: optional(text), result: optional(text) },
    ...{ status: oneOf("running", "done", "failed"), endedAt: optional(number) },
  }),
  notice: fields({ text, tone: oneOf("info", "success", "warning", "error"), isMarkdown: yesOrNo }),
  shell: fields({
    ...{ command: text, output: text, exitCode: optional(number), endedAt: optional(number) },
    ending: optional(oneOf("not-run", "stopped")),
  }),
  "turn-end": fields({ outcome: oneOf("completed", "aborted", "failed"), durationMs: number, usage: USAGE }),
};

/** The longest output of a tool that is stored, in characters. */
const MAX_STORED_OUTPUT = 20_000;

/** The messages as JSON, for a later process, with the comments on their diffs. */
export function formatEntries(entries: readonly ChatEntry[], comments: readonly StoredComment[] = []): string {
  const kept = entries.map((entry) =>
    (entry.type === "tool" || entry.type === "shell") && entry.output.length > MAX_STORED_OUTPUT
      ? { ...entry, output: entry.output.slice(0, MAX_STORED_OUTPUT) }
      : entry,
  );
  return JSON.stringify([...kept, ...comments]);
}

/**
 * Stored messages. What is damaged is left out; what was in progress has ended. Two chats that had the conversation open can
 * have used one id twice: the later message has another one.
 */
export function parseEntries(json: string): readonly ChatEntry[] {
  let stored: unknown;
  try {
    stored = JSON.parse(json);
  } catch {
    return [];
  }
  if (!Array.isArray(stored)) return [];
  const entries = stored.filter(isRecord).filter(isWhole).map(ended);
  return withOwnIds(entries);
}

function withOwnIds(entries: readonly ChatEntry[]): readonly ChatEntry[] {
  const taken = new Set<string>();
  let count = countOf(entries);
  return entries.map((entry) => {
    const own = taken.has(entry.id) ? { ...entry, id: `e${++count}` } : entry;
    taken.add(own.id);
    return own;
  });
}

/** The highest number among the ids of messages: the next one is above it. */
export function countOf(entries: readonly ChatEntry[]): number {
  return entries.reduce(
    (highest, { id }) => Math.max(highest, Number(/^e(\d{1,9})$/.exec(id)?.[1] ?? 0)),
    entries.length,
  );
}

function isWhole(entry: UnknownRecord): boolean {
  const { type, id, at } = entry;
  if (typeof type !== "string" || !Object.hasOwn(ENTRIES, type)) return false;
  return text(id) && number(at) && ENTRIES[type as ChatEntry["type"]](entry); // one of its keys
}

function ended(entry: UnknownRecord): ChatEntry {
  const known = entry as unknown as ChatEntry; // isWhole has checked what the UI reads
  switch (known.type) {
    case "text":
      return { ...known, isStreaming: false };
    case "thinking":
      return { ...known, endedAt: known.endedAt ?? known.at };
    case "tool":
    case "subagent":
      return known.status === "running" ? { ...known, status: "failed", endedAt: known.endedAt ?? known.at } : known;
    case "shell":
      return isShellRunning(known) ? { ...known, ending: "stopped" } : known;
    default:
      return known;
  }
}
