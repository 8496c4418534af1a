import { type QuestionProgress, questionKeys } from "../dialogs/question-form.tsx";
import type { InboxItem } from "../host/runs-port.ts";
import type { Keymap } from "../keys/keymap.ts";
import type { InboxLayout } from "./inbox-layout.ts";
import { answeredItem, type InboxScreen } from "./inbox-screen.ts";
import { questionsOf } from "./request-questions.ts";

/** What the keys of the inbox depend on. */
export interface InboxKeysOptions {
  readonly screen: InboxScreen;
  readonly layout: Pick<InboxLayout, "detailRows">;
  /** What a person can do with the selected item. */
  readonly progress: QuestionProgress;
  readonly keymap: Pick<Keymap, "labelOf">;
}

/** What the keys do for the selected item, for the last line: only what works now. */
export function inboxKeys(item: InboxItem | undefined, options: InboxKeysOptions): readonly string[] {
  const { screen, layout, progress, keymap } = options;
  const stop = keymap.labelOf("stop");
  if (item === undefined) return [`${stop} leave`];
  // Otherwise the item itself has a row about it.
  const room = progress === "small" && layout.detailRows === 0 ? ["enlarge the window"] : [];
  const answered = answeredItem(screen, item);
  if (answered !== undefined) {
    const question = questionsOf(answered.request)[screen.given.length];
    const keys = question === undefined ? [] : questionKeys(question.shape);
    return [...room, ...{ small: [], unread: ["read all of it first"], ready: keys }[progress], `${stop} back`];
  }
  const leave = ["o open run", `${stop} leave`];
  if (item.type === "question") return [...room, ...(progress === "small" ? [] : ["enter answer"]), ...leave];
  const longer = item.request.isOnce === true ? [] : ["a this run", "p this project"];
  const answers = {
    small: ["n no"],
    unread: [`${keymap.labelOf("pageDown")} more`, "n no"],
    ready: ["y yes", "n no", ...longer],
  };
  return [...room, ...answers[progress], ...leave];
}
