import {
  CLAUDE_HOOK_EVENTS,
  type DiscoveryProblem,
  type HookCommand,
  isListOf,
  isText,
  OTHER_CLAUDE_HOOK_EVENTS,
} from "../../contracts/index.ts";
import { type PlacedValue, parseHookFile } from "./hook-json.ts";
import { HookNotes } from "./hook-notes.ts";

/** How long a command may take, in milliseconds. */
const TIMEOUT_MS = 600_000;

/** The same where a session is being closed, or a message waits. */
const SHORT_TIMEOUTS_MS: Readonly<Record<string, number>> = { SessionEnd: 60_000, UserPromptSubmit: 30_000 };

/** The hooks of a file, and what is wrong with the others. */
export interface ParsedHooks {
  readonly hooks: readonly HookCommand[];
  readonly problems: readonly DiscoveryProblem[];
  /** Whether the file turns off all hooks of its vendor, those in other files included. @default false */
  readonly disablesAll?: boolean;
}

/** Where hooks are read from. */
export interface HookFilePlace {
  readonly path: string;
  readonly source: HookCommand["source"];
}

/**
 * Reads the hooks in a settings file of Claude Code. A list may contain groups with a matcher, or hooks themselves. Hooks
 * that are no commands are left out: only Claude Code itself can run them. Pure.
 */
export function parseClaudeHooks(text: string, { path, source }: HookFilePlace): ParsedHooks {
  const file = parseHookFile(text, path);
  if (file.type === "broken") return { hooks: [], problems: [file.problem] };
  const notes = new HookNotes(path);
  const { fields } = file.root;
  if (fields.get("disableAllHooks")?.value === true) return { hooks: [], problems: [], disablesAll: true };
  const hooks: HookCommand[] = [];
  for (const [event, list] of fields.get("hooks")?.fields ?? []) {
    if (!isEvent(event)) {
      notes.noteEvent(list, event, { known: CLAUDE_HOOK_EVENTS, others: OTHER_CLAUDE_HOOK_EVENTS });
      continue;
    }
    for (const group of list.items) {
      const matcher = matcherOf(group);
      if (!notes.isUsable(group, matcher)) continue;
      // A list may contain a hook itself in place of a group.
      for (const place of group.fields.get("hooks")?.items ?? [group]) {
        const hook = readClaudeHook(place, { event, matcher, notes });
        if (hook !== undefined) hooks.push({ ...hook, vendor: "claude", shape: "claude", source, filePath: path });
      }
    }
    if (list.items.length === 0 && !Array.isArray(list.value))
      notes.note(list, `The hooks of "${event}" are no list`, 'Write [{ "hooks": [{ "type": "command", … }] }].');
  }
  return { hooks, problems: notes.problems };
}

function isEvent(name: string): boolean {
  const known: readonly string[] = CLAUDE_HOOK_EVENTS;
  return known.includes(name);
}

/** The matcher of a hook or a group of them. */
export function matcherOf({ fields }: PlacedValue): string | undefined {
  const matcher = fields.get("matcher")?.value;
  return isText(matcher) ? matcher : undefined;
}

/** What a hook is for, and where what is wrong with it goes. */
export interface HookEntryContext {
  readonly event: string;
  readonly matcher: string | undefined;
  readonly notes: HookNotes;
}

/** A hook without its place. */
export type PlainHook = Omit<HookCommand, "vendor" | "shape" | "source" | "filePath">;

function readClaudeHook(place: PlacedValue, { event, matcher, notes }: HookEntryContext): PlainHook | undefined {
  const field = (name: string): unknown => place.fields.get(name)?.value;
  const type = field("type") ?? "command";
  if (type !== "command") {
    return notes.note(
      place,
      `A hook of "${event}" has the type ${JSON.stringify(type)}, which only Claude Code itself runs`,
      'Use a hook of the type "command" for other agents.',
    );
  }
  const command = field("command");
  if (!isText(command) || command.trim() === "")
    return notes.note(place, `A hook of "${event}" has no command`, 'Add "command".');
  if (field("if") !== undefined) {
    return notes.note(
      place,
      `A hook of "${event}" has the condition "if", which only Claude Code itself checks`,
      "Use a matcher, and check the input in the command.",
    );
  }
  const args = field("args");
  const isPowerShell = field("shell") === "powershell";
  return {
    type: "command",
    event,
    line: place.line,
    ...(matcher === undefined ? {} : { matcher }),
    command,
    ...(isListOf(args, isText) ? { args } : {}),
    shell: isPowerShell ? "powershell" : "sh",
    env: {},
    timeoutMs: secondsOf(field("timeout")) ?? SHORT_TIMEOUTS_MS[event] ?? TIMEOUT_MS,
    isAsync: field("async") === true,
    blocksOnFailure: field("onFailure") === "block",
  };
}

/** Seconds as milliseconds; undefined for anything but a positive number. */
export function secondsOf(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? value * 1_000 : undefined;
}
