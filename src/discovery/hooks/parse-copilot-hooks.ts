import { CLAUDE_HOOK_EVENTS, COPILOT_HOOK_EVENTS, isRecord, isText } from "../../contracts/index.ts";
import { type PlacedValue, parseHookFile } from "./hook-json.ts";
import { HookNotes } from "./hook-notes.ts";
import {
  type HookEntryContext,
  type HookFilePlace,
  matcherOf,
  type ParsedHooks,
  type PlainHook,
  secondsOf,
} from "./parse-claude-hooks.ts";

/** How long a command may take, in milliseconds. */
const TIMEOUT_MS = 30_000;

const CLAUDE_NAMES: readonly string[] = CLAUDE_HOOK_EVENTS;
const OWN_NAMES: readonly string[] = COPILOT_HOOK_EVENTS;

/** Settings of {@link parseCopilotHooks}. */
export interface CopilotHookPlace extends HookFilePlace {
  /** Whether commands are for Windows. @default false */
  readonly isWindows?: boolean;
}

/**
 * Reads the hooks in a file of Copilot. An event in Claude Code's spelling, such as `PreToolUse`, has a hook in Claude
 * Code's shape. Pure.
 */
export function parseCopilotHooks(text: string, options: CopilotHookPlace): ParsedHooks {
  const { path, source, isWindows = false } = options;
  const file = parseHookFile(text, path);
  if (file.type === "broken") return { hooks: [], problems: [file.problem] };
  const notes = new HookNotes(path);
  const { root } = file;
  const version = root.fields.get("version");
  if (version?.value !== 1) {
    const found = version === undefined ? "It has no version" : `Its version is ${JSON.stringify(version.value)}`;
    notes.note(version ?? root, `${found}, so none of its hooks run`, 'Write "version": 1.');
    return { hooks: [], problems: notes.problems };
  }
  if (root.fields.get("disableAllHooks")?.value === true) return { hooks: [], problems: [] };
  const entries = [...(root.fields.get("hooks")?.fields ?? [])].flatMap(([event, list]) => {
    if (OWN_NAMES.includes(event) || CLAUDE_NAMES.includes(event)) return list.items.map((place) => ({ event, place }));
    notes.noteEvent(list, event, { known: COPILOT_HOOK_EVENTS });
    return [];
  });
  const hooks = entries.flatMap(({ event, place }) => {
    const matcher = matcherOf(place);
    if (!notes.isUsable(place, matcher)) return [];
    const hook = readCopilotHook(place, { event, matcher, notes, isWindows });
    const shape = OWN_NAMES.includes(event) ? "copilot" : "claude";
    return hook === undefined ? [] : [{ ...hook, vendor: "copilot", shape, source, filePath: path } as const];
  });
  return { hooks, problems: notes.problems };
}

function readCopilotHook(
  place: PlacedValue,
  { event, matcher, notes, isWindows }: HookEntryContext & { readonly isWindows: boolean },
): PlainHook | undefined {
  const field = (name: string): unknown => place.fields.get(name)?.value;
  const type = field("type") ?? "command";
  if (type !== "command") {
    return notes.note(
      place,
      `A hook of "${event}" has the type ${JSON.stringify(type)}, which only Copilot itself runs`,
      'Use a hook of the type "command" for other agents.',
    );
  }
  const shell = isWindows ? "powershell" : "bash";
  const command = field(shell) ?? field("command");
  if (!isText(command) || command.trim() === "")
    return notes.note(place, `A hook of "${event}" has no "${shell}" command, which this system needs`, "Add one.");
  const cwd = field("cwd");
  const env = field("env");
  return {
    type: "command",
    event,
    line: place.line,
    ...(matcher === undefined ? {} : { matcher }),
    command,
    shell,
    ...(isText(cwd) && cwd !== "" ? { directory: cwd } : {}),
    env: isRecord(env) ? textsOf(env) : {},
    timeoutMs: secondsOf(field("timeoutSec") ?? field("timeout")) ?? TIMEOUT_MS,
    isAsync: false,
    blocksOnFailure: false,
  };
}

function textsOf(record: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => (isText(value) ? [[name, value] as const] : [])),
  );
}
