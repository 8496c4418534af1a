import { AtomicError, nearestName } from "../../contracts/index.ts";

/** A pressed key, as the terminal reports it. */
export interface PressedKey {
  /** In lower case: a letter, or a name such as `return`, `escape`, `up`, `pageup`. */
  readonly name: string;
  readonly ctrl: boolean;
  readonly shift: boolean;
  /** The Alt or Option key. */
  readonly meta: boolean;
  /** The Windows or Command key. @default false */
  readonly super?: boolean;
  /** @default false */
  readonly hyper?: boolean;
  /** The characters that the terminal sent. */
  readonly sequence?: string;
}

/** The character that a key types. Empty for other keys. */
export function textOf({ name, ctrl, meta, sequence = name }: PressedKey): string {
  if (ctrl || meta) return "";
  if (name === "space") return " ";
  return [...sequence].length === 1 && !/\p{Control}/u.test(sequence) ? sequence : "";
}

/** What a key does, its default keys, and what the help says. */
interface KeyAction {
  readonly keys: readonly string[];
  readonly help: string;
}

/** Everything that has a key of its own. Lists and dialogs also use the arrows, Enter and Escape. */
export const KEY_ACTIONS = {
  send: { keys: ["enter"], help: "send the message" },
  newLine: { keys: ["shift+enter", "alt+enter", "ctrl+j"], help: "start a new line" },
  stop: { keys: ["escape"], help: "stop the turn, close, leave" },
  quit: { keys: ["ctrl+c"], help: "clear the input; twice on an empty one: quit" },
  complete: { keys: ["tab"], help: "complete, or go to the next pane" },
  previous: { keys: ["up"], help: "the previous message or row" },
  next: { keys: ["down"], help: "the next message or row" },
  searchHistory: { keys: ["ctrl+r"], help: "search the messages you sent before" },
  transcript: { keys: ["ctrl+o"], help: "the whole transcript, and the summary of a compaction" },
  tasks: { keys: ["ctrl+t"], help: "show or hide the tasks" },
  editor: { keys: ["ctrl+g"], help: "write the message in your editor" },
  copy: { keys: ["ctrl+y"], help: "copy the last answer" },
  model: { keys: ["alt+m"], help: "choose the model" },
  inbox: { keys: ["alt+i"], help: "everything that waits for you" },
  runs: { keys: ["alt+r"], help: "the runs" },
  steer: { keys: ["ctrl+s"], help: "send to the agent during its turn" },
  editQueue: { keys: ["alt+up"], help: "edit the last queued message" },
  attachImage: { keys: ["ctrl+v"], help: "attach the image of the clipboard" },
  fold: { keys: ["ctrl+e"], help: "open or fold the last tool or thought" },
  pageUp: { keys: ["pageup"], help: "scroll up" },
  pageDown: { keys: ["pagedown"], help: "scroll down" },
  follow: { keys: ["end"], help: "follow the conversation again" },
  suspend: { keys: ["ctrl+z"], help: "return to the shell; fg continues" },
  help: { keys: ["?"], help: "on an empty input: the keys" },
} as const satisfies Readonly<Record<string, KeyAction>>;

/** The name of a key's action, as the setting `ui.keys` has it. */
export type KeyActionName = keyof typeof KEY_ACTIONS;

/** A key in the settings that cannot be read, or an action that does not exist. */
export class KeyInvalidError extends AtomicError {
  constructor(
    readonly setting: string,
    problem: string,
  ) {
    super("KEY_INVALID", `The setting ui.keys.${setting} ${problem}`);
  }
}

/** The label of an action whose keys the settings took away. */
const NO_KEY = "(no key)";

/** Other spellings of keys' names. */
const NAMES: Readonly<Record<string, string>> = {
  enter: "return",
  esc: "escape",
  pgup: "pageup",
  pgdn: "pagedown",
  del: "delete",
};

const MODIFIERS: Readonly<Record<string, "ctrl" | "shift" | "meta">> = {
  ctrl: "ctrl",
  control: "ctrl",
  shift: "shift",
  alt: "meta",
  option: "meta",
  meta: "meta",
};

/** A key such as `ctrl+shift+x`. Undefined when the text is none. */
export function parseKey(text: string): PressedKey | undefined {
  const parts = text === "+" ? ["+"] : text.trim().toLowerCase().split("+");
  const name = parts.pop() ?? "";
  const held = { ctrl: false, shift: false, meta: false };
  for (const part of parts) {
    const modifier = Object.hasOwn(MODIFIERS, part) ? MODIFIERS[part] : undefined;
    if (modifier === undefined) return undefined;
    held[modifier] = true;
  }
  return name === "" ? undefined : { name: Object.hasOwn(NAMES, name) ? (NAMES[name] ?? name) : name, ...held };
}

/** Which keys do what. */
export class Keymap {
  readonly #keys: ReadonlyMap<KeyActionName, readonly string[]>;

  /**
   * @param changed keys by action, which replace the default ones
   * @throws KeyInvalidError
   */
  constructor(changed: Readonly<Record<string, string | readonly string[]>> = {}) {
    const names = Object.keys(KEY_ACTIONS) as KeyActionName[]; // the keys of a literal
    for (const [action, keys] of Object.entries(changed)) assertKeys(action, [keys].flat(), names);
    assertNoConflict(changed, names);
    this.#keys = new Map(names.map((name) => [name, [changed[name] ?? KEY_ACTIONS[name].keys].flat()]));
  }

  /** Whether a pressed key does this. */
  matches(action: KeyActionName, pressed: PressedKey): boolean {
    return this.keysOf(action).some((text) => {
      const key = parseKey(text);
      return key !== undefined && isSameKey(key, pressed);
    });
  }

  /** The keys of an action, as a person writes them. */
  keysOf(action: KeyActionName): readonly string[] {
    return this.#keys.get(action) ?? [];
  }

  /** The actions whose keys the settings took away, in the order of {@link KEY_ACTIONS}. */
  actionsWithoutKey(): readonly KeyActionName[] {
    return [...this.#keys].flatMap(([action, keys]) => (keys.length === 0 ? [action] : []));
  }

  /** The first key of an action, for the line that says what the keys do: `esc`, `ctrl+o`, `⏎`. `(no key)` without one. */
  labelOf(action: KeyActionName): string {
    return (this.keysOf(action)[0] ?? NO_KEY).replace("escape", "esc");
  }
}

function assertKeys(action: string, keys: readonly string[], names: readonly string[]): void {
  if (!names.includes(action)) {
    const nearest = nearestName(action, names);
    throw new KeyInvalidError(
      action,
      `does not exist.${nearest === undefined ? "" : ` Did you mean "${nearest}"?`} Actions: ${names.join(", ")}.`,
    );
  }
  if (action === "send" && keys.length === 0) {
    throw new KeyInvalidError(action, "is an empty list: no message could be sent. Name a key, such as enter.");
  }
  for (const key of keys) {
    const parsed = parseKey(key);
    if (parsed === undefined) {
      throw new KeyInvalidError(action, `is "${key}", which is no key. Write it like ctrl+o, alt+enter or f2.`);
    }
    if (action !== "help" && isTyped(parsed)) {
      const example = /^[a-z0-9]$/.test(parsed.name) ? `, such as ctrl+${parsed.name}` : "";
      throw new KeyInvalidError(action, `is "${key}", which is typed into the input. Add ctrl or alt${example}.`);
    }
  }
}

/** Whether a key writes a character: it would do something else in the middle of a word. */
function isTyped({ name, ctrl, meta }: PressedKey): boolean {
  return !ctrl && !meta && ([...name].length === 1 || name === "space");
}

/** A changed key must not take the key of another action. */
function assertNoConflict(
  changed: Readonly<Record<string, string | readonly string[]>>,
  names: readonly KeyActionName[],
): void {
  const keysOf = (name: KeyActionName): readonly string[] => [changed[name] ?? KEY_ACTIONS[name].keys].flat();
  for (const action of names) {
    if (changed[action] === undefined) continue;
    for (const text of keysOf(action)) {
      const key = parseKey(text);
      const other = names.find((name) => name !== action && keysOf(name).some((one) => isEqualKey(parseKey(one), key)));
      if (other !== undefined)
        throw new KeyInvalidError(action, `is "${text}", which is the key of "${other}" already.`);
    }
  }
}

function isEqualKey(one: PressedKey | undefined, other: PressedKey | undefined): boolean {
  return one !== undefined && other !== undefined && JSON.stringify(one) === JSON.stringify(other);
}

function isSameKey(key: PressedKey, pressed: PressedKey): boolean {
  const name = pressed.name === "linefeed" ? "j" : pressed.name;
  const ctrl = pressed.ctrl || pressed.name === "linefeed";
  if (key.ctrl !== ctrl || key.meta !== pressed.meta) return false;
  // Terminals send signs such as `?` with or without Shift.
  if (key.name.length === 1 && !/[a-z0-9]/.test(key.name)) return name === key.name || pressed.sequence === key.name;
  return key.name === name && key.shift === pressed.shift;
}
