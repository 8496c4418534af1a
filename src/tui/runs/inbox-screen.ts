import type { InboxItem, PermissionAnswer } from "../host/runs-port.ts";
import type { PressedKey } from "../keys/keymap.ts";
import { inboxKey, permissionAnswers } from "./inbox-lines.ts";
import { answerOf, questionsOf, rejectedQuestion } from "./request-questions.ts";
import type { MatchesAction } from "./run-screen.ts";
import { neighbour } from "./run-screen.ts";

/** What a person chose in the inbox. */
export interface InboxScreen {
  readonly key: string | undefined;
  /** Whether the form of the question `key` has the keys. */
  readonly isAnswering: boolean;
  /** What the person said to the first questions of the request `key`. */
  readonly given: readonly (readonly string[])[];
  /** The answer to the request `key` that was rejected. @default none */
  readonly rejected?: RejectedAnswer | undefined;
}

/** An answer that the run did not take: the person can change it. */
export interface RejectedAnswer {
  /** What the person said to each of the request's questions. */
  readonly given: readonly (readonly string[])[];
  /** The question that is open again first. */
  readonly index: number;
  readonly reason: string;
  /** How many answers were rejected, one after the other. */
  readonly count: number;
}

/** The inbox that was just opened. */
export const OPENED_INBOX: InboxScreen = { key: undefined, isAnswering: false, given: [] };

/** What is said where the screen has no room for a request and its answers. */
export const ENLARGE = "Enlarge the window for yes.";

/** What is on the screen when a key is pressed. */
export interface InboxScene {
  readonly items: readonly InboxItem[];
  readonly item: InboxItem | undefined;
  /** Whether all of the selected permission request was visible, and its answers are. */
  readonly isRead: boolean;
  /** Whether the screen has room for the answers that allow something. */
  readonly canShow: boolean;
}

/** A question of a run. */
export type QuestionItem = Extract<InboxItem, { type: "question" }>;

/** What the program has to do after a key. */
export type InboxEffect =
  | {
      readonly type: "answer";
      readonly item: QuestionItem;
      readonly value: unknown;
      readonly given: InboxScreen["given"];
    }
  | {
      readonly type: "permission";
      readonly item: Extract<InboxItem, { type: "permission" }>;
      readonly answer: PermissionAnswer;
    }
  /** Scrolls the permission request by so many pages. */
  | { readonly type: "page"; readonly by: -1 | 1 }
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

/** The item whose form has the keys: none when another item took the place of the one that was being answered. */
export function answeredItem(screen: InboxScreen, item: InboxItem | undefined): QuestionItem | undefined {
  return screen.isAnswering && item?.type === "question" && inboxKey(item) === screen.key ? item : undefined;
}

/** What a key does in the list. A form that has the keys receives them first. */
export function pressInboxKey(
  screen: InboxScreen,
  key: PressedKey,
  { scene, matches }: { readonly scene: InboxScene; readonly matches: MatchesAction },
): InboxKeyOutcome | undefined {
  const { item } = scene;
  if (screen.isAnswering) return answeredItem(screen, item) === undefined ? leaveForm(screen, key, matches) : undefined;
  if (matches("stop", key)) return { screen, effect: { type: "leave" } };
  if (matches("previous", key)) return { screen: select(scene, -1) };
  if (matches("next", key)) return { screen: select(scene, 1) };
  if (item === undefined || key.ctrl || key.meta) return undefined;
  if (key.name === "o") return { screen, effect: { type: "open", runId: item.runId } };
  if (item.type === "question") {
    if (key.name !== "return") return undefined;
    const { rejected } = screen.key === inboxKey(item) ? screen : OPENED_INBOX;
    return { screen: { ...OPENED_INBOX, key: inboxKey(item), isAnswering: true, rejected } };
  }
  if (matches("pageDown", key)) return { screen, effect: { type: "page", by: 1 } };
  if (matches("pageUp", key)) return { screen, effect: { type: "page", by: -1 } };
  return pressPermission(screen, key, { ...scene, item });
}

/** The inbox after a person answered one of a request's questions: the next one is open, or the answer is complete. */
export function answerPart(screen: InboxScreen, item: QuestionItem, values: readonly string[]): InboxKeyOutcome {
  const given = [...screen.given, values];
  const { request } = item;
  if (given.length < questionsOf(request).length) return { screen: { ...screen, given } };
  const closed = { ...OPENED_INBOX, key: inboxKey(item), rejected: screen.rejected };
  return { screen: closed, effect: { type: "answer", item, value: answerOf(request, given), given } };
}

/** The inbox after an answer was rejected: its question is open again, unless the person has moved on. */
export function reopenAnswer(
  screen: InboxScreen,
  { item, given }: { readonly item: QuestionItem; readonly given: InboxScreen["given"] },
  reason: string,
): InboxScreen {
  if (screen.key !== inboxKey(item) || screen.isAnswering) return screen;
  const index = rejectedQuestion(item.request, reason);
  const rejected = { given, index, reason, count: (screen.rejected?.count ?? 0) + 1 };
  return { ...screen, isAnswering: true, given: given.slice(0, index), rejected };
}

/** The inbox after a person left a form: the question before it is open again, or the list has the keys. */
export function leavePart(screen: InboxScreen): InboxScreen {
  if (screen.given.length > 0) return { ...screen, given: screen.given.slice(0, -1) };
  return { ...screen, isAnswering: false };
}

/** The question was answered elsewhere while its form was open: what is still typed must not answer another one. */
function leaveForm(screen: InboxScreen, key: PressedKey, matches: MatchesAction): InboxKeyOutcome {
  if (key.name !== "return" && !matches("stop", key)) return { screen };
  return say({ ...screen, isAnswering: false, given: [] }, "The question is no longer open.");
}

function select({ items, item }: InboxScene, step: number): InboxScreen {
  const keys = items.map((one) => ({ key: inboxKey(one) }));
  return { ...OPENED_INBOX, key: neighbour(keys, item === undefined ? undefined : inboxKey(item), step) };
}

function pressPermission(
  screen: InboxScreen,
  { name }: PressedKey,
  { item, isRead, canShow }: InboxScene & { readonly item: Extract<InboxItem, { type: "permission" }> },
): InboxKeyOutcome | undefined {
  const answer = permissionAnswers(item).find(({ key }) => key === name)?.answer;
  if (answer === undefined) {
    return name === "a" || name === "p" ? say(screen, "It can only be allowed once: y or n.") : undefined;
  }
  if (answer !== "no" && !canShow) return say(screen, ENLARGE);
  if (answer !== "no" && !isRead) return say(screen, "Read all of it first: page down.");
  return { screen, effect: { type: "permission", item, answer } };
}

function say(screen: InboxScreen, text: string): InboxKeyOutcome {
  return { screen, effect: { type: "say", text } };
}
