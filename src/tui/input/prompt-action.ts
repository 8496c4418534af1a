import type { Attachment } from "../chat/chat-state.ts";
import type { KeyActionName, Keymap, PressedKey } from "../keys/keymap.ts";
import { labelAt, type TextRange } from "./attachments.ts";
import type { HintState } from "./hint-state.ts";
import type { PromptList } from "./prompt-list.ts";
import { pressViKey, type ViResult, type ViState } from "./vi-keys.ts";

/** What a key does in the input. */
export type PromptAction =
  /** Selects the row above or below. */
  | { readonly type: "select"; readonly by: -1 | 1 }
  /** Puts the selected row into the text. */
  | { readonly type: "complete" }
  /** Executes the selected command, or puts the selected mention or message into the text. */
  | { readonly type: "accept" }
  /** Closes the list or the hint; leaves the search with the text from before it. */
  | { readonly type: "dismiss" }
  | { readonly type: "search" }
  | { readonly type: "help" }
  | { readonly type: "new-line" }
  /** A new line in place of the `\` before the cursor. */
  | { readonly type: "continue-line" }
  | { readonly type: "submit" }
  /** Empties the input, and keeps what was in it in the history. */
  | { readonly type: "clear" }
  | { readonly type: "steer" }
  /** Sends the messages that wait since a turn was stopped. */
  | { readonly type: "send-held" }
  | { readonly type: "edit-queued" }
  | { readonly type: "walk"; readonly by: -1 | 1 }
  | { readonly type: "edit-outside" }
  | { readonly type: "attach-image" }
  | { readonly type: "delete"; readonly range: TextRange }
  | { readonly type: "line-end" }
  | { readonly type: "vi"; readonly result: ViResult }
  /** Nothing happens, and nobody else receives the key. */
  | { readonly type: "nothing" };

/** What decides over the meaning of a key. */
export interface PromptSituation {
  readonly keymap: Keymap;
  readonly text: string;
  readonly cursor: number;
  readonly attachments: readonly Attachment[];
  readonly list: PromptList["type"];
  /** The number of rows in the list. */
  readonly rowCount: number;
  readonly hint: HintState["type"];
  /** Undefined without vi keys. */
  readonly vi: ViState | undefined;
  /** Whether the cursor is in the first and the last row of the input. */
  readonly isFirstRow: boolean;
  readonly isLastRow: boolean;
  /** Whether a part of the text is selected. */
  readonly hasSelection: boolean;
  /** Whether an earlier message is shown. */
  readonly isWalking: boolean;
  readonly queueLength: number;
  /** How many of the queued messages wait for the person. */
  readonly heldCount: number;
}

/** What a key does. Undefined when the text field or what is below receives it. */
export function actionOf(pressed: PressedKey, situation: PromptSituation): PromptAction | undefined {
  const key = pressed.name === "kpenter" ? { ...pressed, name: "return" } : pressed;
  const is = (action: KeyActionName): boolean => situation.keymap.matches(action, key);
  if (situation.list === "search") return inSearch(is);
  if (is("quit") && situation.text !== "") return { type: "clear" };
  if (situation.rowCount > 0) {
    const action = inList(is);
    if (action !== undefined) return action;
  }
  if (situation.hint === "showing-hint" && is("stop")) return { type: "dismiss" };
  if (situation.text === "" && is("help")) return { type: "help" };
  return (situation.vi && inVi(key, situation.vi, situation)) ?? inText(key, is, situation);
}

type Is = (action: KeyActionName) => boolean;

function inSearch(is: Is): PromptAction | undefined {
  if (is("stop") || is("quit")) return { type: "dismiss" };
  if (is("send") || is("complete")) return { type: "accept" };
  if (is("searchHistory") || is("next")) return { type: "select", by: 1 };
  if (is("previous")) return { type: "select", by: -1 };
  if (is("newLine") || is("editor") || is("attachImage") || is("steer")) return { type: "nothing" };
  return undefined;
}

function inList(is: Is): PromptAction | undefined {
  if (is("previous")) return { type: "select", by: -1 };
  if (is("next")) return { type: "select", by: 1 };
  if (is("complete")) return { type: "complete" };
  if (is("send")) return { type: "accept" };
  return is("stop") ? { type: "dismiss" } : undefined;
}

function inVi(key: PressedKey, vi: ViState, { text, cursor }: PromptSituation): PromptAction | undefined {
  const result = pressViKey(vi, key, { text, cursor });
  return result === undefined ? undefined : { type: "vi", result };
}

function inText(key: PressedKey, is: Is, situation: PromptSituation): PromptAction | undefined {
  const { text, cursor, queueLength, heldCount, isFirstRow, isLastRow, isWalking } = situation;
  if (is("newLine")) return { type: "new-line" };
  if (is("send") && text.trim() === "" && heldCount > 0) return { type: "send-held" };
  if (is("send")) return text[cursor - 1] === "\\" ? { type: "continue-line" } : { type: "submit" };
  if (is("steer")) return { type: "steer" };
  if (is("editQueue")) return queueLength > 0 ? { type: "edit-queued" } : undefined;
  if (is("previous")) {
    if (text === "" && queueLength > 0 && !isWalking) return { type: "edit-queued" };
    return isFirstRow ? { type: "walk", by: -1 } : undefined;
  }
  if (is("next")) return isLastRow && isWalking ? { type: "walk", by: 1 } : undefined;
  if (is("searchHistory")) return { type: "search" };
  if (is("editor")) return { type: "edit-outside" };
  if (is("attachImage")) return { type: "attach-image" };
  return inLine(key, situation);
}

/** Keys that the text field would use in another way. */
function inLine({ name, ctrl, shift, meta }: PressedKey, situation: PromptSituation): PromptAction | undefined {
  if (ctrl || shift || meta || situation.hasSelection) return undefined;
  // On an empty input it follows the conversation.
  if (name === "end" && situation.text !== "") return { type: "line-end" };
  if (name !== "backspace" && name !== "delete") return undefined;
  const range = labelAt(name === "backspace" ? "end" : "start", situation);
  return range === undefined ? undefined : { type: "delete", range };
}
