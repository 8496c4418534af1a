import { isRecord, type UnknownRecord } from "../../contracts/index.ts";
import type { ChatEntry } from "./chat-entry.ts";
import { isShellRunning } from "./shell-outcome.ts";

/** The fields of stored entries that must be texts, by type. Entries of other types are left out. */
const TEXT_FIELDS: Readonly<Record<ChatEntry["type"], readonly string[]>> = {
  user: ["text"],
  text: ["text"],
  thinking: ["text"],
  tool: ["toolId", "toolName", "kind", "status", "output"],
  subagent: ["subagentId", "title", "status"],
  notice: ["text", "tone"],
  shell: ["command", "output"],
  "turn-end": ["outcome"],
};

/** The longest output of a tool that is stored, in characters. */
const MAX_STORED_OUTPUT = 20_000;

/** The messages as JSON, for a later process. */
export function formatEntries(entries: readonly ChatEntry[]): string {
  return JSON.stringify(
    entries.map((entry) =>
      (entry.type === "tool" || entry.type === "shell") && entry.output.length > MAX_STORED_OUTPUT
        ? { ...entry, output: entry.output.slice(0, MAX_STORED_OUTPUT) }
        : entry,
    ),
  );
}

/** Stored messages. What is damaged is left out; what was in progress has ended. */
export function parseEntries(text: string): readonly ChatEntry[] {
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    return [];
  }
  if (!Array.isArray(stored)) return [];
  return stored.filter(isRecord).filter(isWhole).map(ended);
}

function isWhole(entry: UnknownRecord): boolean {
  const { type, at } = entry;
  if (typeof type !== "string" || typeof at !== "number" || !Object.hasOwn(TEXT_FIELDS, type)) return false;
  const fields = TEXT_FIELDS[type as ChatEntry["type"]]; // one of its keys
  return fields.every((field) => typeof entry[field] === "string") && isTypeComplete(entry);
}

function isTypeComplete(entry: UnknownRecord): boolean {
  if (entry.type === "user") return Array.isArray(entry.attachments);
  if (entry.type === "turn-end") return isRecord(entry.usage) && typeof entry.durationMs === "number";
  return true;
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
