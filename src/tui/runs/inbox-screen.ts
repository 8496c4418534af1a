import type { InboxItem, PermissionAnswer } from "../host/runs-port.ts";
import type { PressedKey } from "../keys/keymap.ts";
import { inboxKey } from "./inbox-lines.ts";
import type { MatchesAction } from "./run-screen.ts";
import { neighbour } from "./run-screen.ts";

/** Keys pressed this soon after an item appeared were meant for something else, in milliseconds. */
export const QUIET_MS = 300;

/** What a person chose in the inbox. */
export interface InboxScreen {
  readonly key: string | undefined;
  /** The selected option of the question `key`; -1 until somebody selects one. */
  readonly option: number;
  /** The answer that is being typed. Undefined while the list has the keys. */
  readonly typed: string | undefined;
  /** How many lines the whole item is scrolled down. */
  readonly scroll: number;
}

/** The inbox that was just opened. */
export const OPENED_INBOX: InboxScreen = { key: undefined, option: -1, typed: undefined, scroll: 0 };

/** What is on the screen when a key is pressed. */
export interface InboxScene {
  readonly items: readonly InboxItem[];
  readonly item: InboxItem | undefined;
  /** Since when the selected item is on the screen, in milliseconds since 1970. */
  readonly since: number;
  readonly now: number;
  /** How many more lines of it are below the visible ones. */
  readonly linesBelow: number;
  readonly pageRows: number;
}

/** What the program has to do after a key. */
export type InboxEffect =
  | { readonly type: "answer"; readonly item: Extract<InboxItem, { type: "question" }>; readonly value: string }
  | {
      readonly type: "permission";
      readonly item: Extract<InboxItem, { type: "permission" }>;
      readonly answer: PermissionAnswer;
    }
  | { readonly type: "open"; readonly runId: string }
  | { readonly type: "leave" }
  | { readonly type: "say"; readonly text: string };

/** The outcome of a key. Undefined for a key that means nothing here. */
export interface InboxKeyOutcome {
  readonly screen: InboxScreen;
  readonly effect?: InboxEffect;
}

/** The selected item. One that is gone leaves the selection to the item in its place. */
export function selectedItem(
  items: readonly InboxItem[],
  { key }: Pick<InboxScreen, "key">,
  lastIndex: number,
): InboxItem | undefined {
  return items.find((item) => inboxKey(item) === key) ?? items[Math.min(lastIndex, items.length - 1)];
}

/** The selected option of an item: none after another item took its place. */
export function optionOf({ key, option }: Pick<InboxScreen, "key" | "option">, item: InboxItem): number {
  return key === inboxKey(item) ? option : -1;
}

/** What a key does in the inbox. */
export function pressInboxKey(
  screen: InboxScreen,
  key: PressedKey,
  { scene, matches }: { readonly scene: InboxScene; readonly matches: MatchesAction },
): InboxKeyOutcome | undefined {
  const { item, pageRows, linesBelow } = scene;
  if (screen.typed !== undefined) return typeKey(screen, key, { scene, matches });
  if (matches("stop", key)) {
    const hasSelected = item !== undefined && optionOf(screen, item) >= 0;
    return hasSelected ? { screen: { ...screen, option: -1 } } : { screen, effect: { type: "leave" } };
  }
  if (matches("previous", key)) return { screen: select(scene, -1) };
  if (matches("next", key)) return { screen: select(scene, 1) };
  if (matches("pageDown", key))
    return { screen: { ...screen, scroll: screen.scroll + Math.min(linesBelow, pageRows) } };
  if (matches("pageUp", key)) return { screen: { ...screen, scroll: Math.max(0, screen.scroll - pageRows) } };
  if (item === undefined || key.ctrl || key.meta) return undefined;
  if (key.name === "o") return { screen, effect: { type: "open", runId: item.runId } };
  if (item.type === "permission") return pressPermission(screen, key, { ...scene, item });
  return pressQuestion(screen, key, { ...scene, item });
}

function select({ items, item }: InboxScene, step: number): InboxScreen {
  const keys = items.map((one) => ({ key: inboxKey(one) }));
  return { ...OPENED_INBOX, key: neighbour(keys, item === undefined ? undefined : inboxKey(item), step) };
}

const ANSWER_KEYS: Readonly<Record<string, PermissionAnswer>> = { y: "yes", a: "run", p: "always", n: "no" };

function pressPermission(
  screen: InboxScreen,
  { name }: PressedKey,
  { item, since, now, linesBelow }: InboxScene & { readonly item: Extract<InboxItem, { type: "permission" }> },
): InboxKeyOutcome | undefined {
  const answer = Object.hasOwn(ANSWER_KEYS, name) ? ANSWER_KEYS[name] : undefined;
  if (answer === undefined) return undefined;
  if (now - since < QUIET_MS) return { screen };
  if (answer !== "no" && linesBelow > 0) return say(screen, "Read all of it first: page down shows the rest.");
  if (item.request.isOnce === true && (answer === "run" || answer === "always")) {
    return say(screen, "This call can only be allowed once: y or n.");
  }
  return { screen, effect: { type: "permission", item, answer } };
}

function pressQuestion(
  screen: InboxScreen,
  { name }: PressedKey,
  { item, since, now }: InboxScene & { readonly item: Extract<InboxItem, { type: "question" }> },
): InboxKeyOutcome | undefined {
  const { options = [] } = item.request;
  if (name === "return" && options.length === 0) return { screen: { ...screen, key: inboxKey(item), typed: "" } };
  if (name === "left" || name === "right") {
    const step = name === "right" ? 1 : -1;
    const option = Math.min(Math.max(0, optionOf(screen, item) + step), Math.max(0, options.length - 1));
    return { screen: { ...screen, key: inboxKey(item), option } };
  }
  const selected = optionOf(screen, item);
  // One key never answers: the first one selects, Enter sends.
  const index = name === "return" ? Math.max(0, selected) : /^[1-9]$/.test(name) ? Number(name) - 1 : -1;
  const chosen = options[index];
  if (chosen === undefined) return undefined;
  if (now - since < QUIET_MS) return { screen };
  if (name !== "return" || selected < 0) return { screen: { ...screen, key: inboxKey(item), option: index } };
  return { screen: { ...screen, option: -1 }, effect: { type: "answer", item, value: chosen.label } };
}

/** While an answer is typed, the field receives everything but these keys. */
function typeKey(
  screen: InboxScreen,
  key: PressedKey,
  { scene, matches }: { readonly scene: InboxScene; readonly matches: MatchesAction },
): InboxKeyOutcome | undefined {
  const { typed = "" } = screen;
  if (matches("stop", key)) return { screen: { ...screen, typed: undefined } };
  if (key.name !== "return") return undefined;
  const { item } = scene;
  // The question may have been answered elsewhere meanwhile: the text must not answer another one.
  if (item?.type !== "question" || inboxKey(item) !== screen.key) {
    return {
      screen: { ...screen, typed: undefined },
      effect: { type: "say", text: "The question is no longer open." },
    };
  }
  if (typed.trim() === "") return say(screen, "Type an answer, or leave with esc.");
  return { screen: { ...screen, typed: undefined }, effect: { type: "answer", item, value: typed } };
}

function say(screen: InboxScreen, text: string): InboxKeyOutcome {
  return { screen, effect: { type: "say", text } };
}
