import { changedTaskOf, describeCall, formatDuration, safeLine } from "../../view/index.ts";
import type { ChatEntry, ShellEntry, SubagentEntry, ThinkingEntry, ToolEntry } from "../chat/chat-entry.ts";
import { fileChangesOf } from "../chat/file-changes.ts";
import { isShellRunning, shellOutcome } from "../chat/shell-outcome.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import type { Card } from "./card.ts";
import { diffChanges, type FileDiff } from "./file-diff.ts";
import { outcomeOfList, toolListOf, verbOfList } from "./tool-lists.ts";

/** An entry that is one line until it is opened. */
export type CardEntry = ToolEntry | SubagentEntry | ThinkingEntry | ShellEntry;

/** How a card is shown. */
export interface CardOptions {
  readonly glyphs: Glyphs;
  readonly isOpen: boolean;
  /** The current time, for what is in progress. */
  readonly now: number;
  /** In front of paths of the project, which are shown without it. */
  readonly workingDirectory?: string;
}

/** The longest object of a card, in columns: more than any screen has. */
const MAX_OBJECT = 400;

/** Whether an entry is one line until it is opened. */
export function isCard(entry: ChatEntry): entry is CardEntry {
  return ["tool", "subagent", "thinking", "shell"].includes(entry.type);
}

/** Whether an entry is still in progress: its time runs. */
export function isRunning(entry: ChatEntry): boolean {
  switch (entry.type) {
    case "tool":
    case "subagent":
      return entry.status === "running";
    case "thinking":
      return entry.endedAt === undefined;
    case "shell":
      return isShellRunning(entry);
    default:
      return false;
  }
}

/** The line of an entry. */
export function describeEntry(entry: CardEntry, options: CardOptions): Card {
  switch (entry.type) {
    case "tool":
      return describeTool(entry, options);
    case "subagent": {
      const { title, subagentType, status } = entry;
      const verb = safeLine(subagentType ?? "Agent", 30);
      const outcome = status === "failed" ? "failed" : status === "running" ? "running" : "";
      return { ...base(entry, options, status), verb, object: safeLine(title, MAX_OBJECT), outcome };
    }
    case "thinking":
      return { ...base(entry, options, "done"), verb: "thinking", object: "", isQuiet: true };
    case "shell": {
      const { exitCode, ending, command } = entry;
      const wentWrong = exitCode === 0 ? "done" : ending === "not-run" ? "denied" : "failed";
      const status = isShellRunning(entry) ? "running" : wentWrong;
      const outcome = status === "done" ? "" : (shellOutcome(entry) ?? "");
      return { ...base(entry, options, status), verb: "!", object: safeLine(command, MAX_OBJECT), outcome };
    }
  }
}

function base(entry: CardEntry, { glyphs, isOpen, now }: CardOptions, status: ToolEntry["status"]): Card {
  const time = formatElapsed(Math.max(0, (entry.endedAt ?? now) - entry.at));
  const common = {
    verb: "",
    object: "",
    outcome: "",
    outcomeTone: "muted",
    time,
    isQuiet: false,
    ellipsis: glyphs.ellipsis,
  } as const;
  switch (status) {
    case "running":
      return { ...common, sign: glyphs.running, signTone: "accent" };
    case "failed":
      return { ...common, sign: glyphs.failed, signTone: "error", outcomeTone: "error" };
    case "denied":
      // The time is that of the person who decided.
      return { ...common, time: "", sign: glyphs.skipped, signTone: "warning", outcomeTone: "warning" };
    case "done":
      return { ...common, sign: isOpen ? glyphs.open : glyphs.folded, signTone: "muted" };
  }
}

/** `0.1s` and `2.4s` below ten seconds, then as every duration. */
function formatElapsed(milliseconds: number): string {
  // Rounded down, so that 9.99 seconds are not 10.0s.
  return milliseconds < 10_000 ? `${(Math.floor(milliseconds / 100) / 10).toFixed(1)}s` : formatDuration(milliseconds);
}

function describeTool(entry: ToolEntry, options: CardOptions): Card {
  const diffs = diffOf(entry);
  const list = toolListOf(entry);
  const verb = list === undefined ? verbOf(entry) : verbOfList(list);
  const object = safeLine(objectOf(entry, diffs, options.workingDirectory), MAX_OBJECT);
  const ended = outcomeOf(entry, diffs, options.glyphs);
  const outcome = ended === "" && list !== undefined ? outcomeOfList(list) : ended;
  return { ...base(entry, options, entry.status), verb, object, outcome };
}

/** The changes of files that a tool call made or would make. Computed once for each entry, which never changes. */
export function diffOf(entry: ToolEntry): readonly FileDiff[] {
  const known = DIFFS.get(entry);
  if (known !== undefined) return known;
  const diffs = diffChanges(fileChangesOf(entry), entry.output);
  DIFFS.set(entry, diffs);
  return diffs;
}

const DIFFS = new WeakMap<ToolEntry, readonly FileDiff[]>();

/** Tools that look for something, by their name. */
const SEARCHING = /grep|glob|search|find/i;
const LISTING = /^(?:ls|list)/i;

function verbOf({ kind, toolName, request, input }: ToolEntry): string {
  switch (kind) {
    case "read":
      return LISTING.test(toolName) ? "List" : SEARCHING.test(toolName) ? "Search" : "Read";
    case "edit":
      return request?.details?.type === "write" || /write|create/i.test(toolName) ? "Write" : "Edit";
    case "shell":
      return "Shell";
    case "fetch":
      return SEARCHING.test(toolName) ? "Search" : "Fetch";
    case "agent":
      return "Agent";
    default:
      if (changedTaskOf(toolName, input) !== undefined) return "Task";
      return safeLine(toolName.replace(/^mcp__/, "").replace("__", "/"), 40);
  }
}

function objectOf(
  { kind, toolName, request, input }: ToolEntry,
  diffs: readonly FileDiff[],
  workingDirectory: string | undefined,
): string {
  if (request?.command !== undefined) return request.command;
  const [diff, ...others] = diffs;
  if (diff !== undefined) {
    return relativeTo(workingDirectory, diff.path) + (others.length === 0 ? "" : ` and ${others.length} more`);
  }
  if (kind === "edit" && request?.paths[0] !== undefined) return relativeTo(workingDirectory, request.paths[0]);
  const text = describeCall(toolName, input);
  return text === "{}" ? "" : relativeTo(workingDirectory, text);
}

/** A path of the project without the project's folder. */
function relativeTo(workingDirectory: string | undefined, path: string): string {
  return workingDirectory !== undefined && path.startsWith(`${workingDirectory}/`)
    ? path.slice(workingDirectory.length + 1)
    : path;
}

/** Where a command's exit code is in the output of agents' tools. */
const EXIT_CODE = /exit(?:ed with)?(?: code)?:? ?(\d{1,3})\b/i;

function outcomeOf({ status, kind, output }: ToolEntry, diffs: readonly FileDiff[], { minus }: Glyphs): string {
  if (status === "denied") return "denied";
  if (status === "failed") {
    const code = kind === "shell" ? EXIT_CODE.exec(`${output.slice(0, 200)}\n${output.slice(-200)}`)?.[1] : undefined;
    return code === undefined ? "failed" : `exit ${code}`;
  }
  if (diffs.length === 0) return "";
  const sum = (count: (diff: FileDiff) => number): number => diffs.reduce((total, diff) => total + count(diff), 0);
  return `+${sum(({ addedCount }) => addedCount)} ${minus}${sum(({ removedCount }) => removedCount)}`;
}
