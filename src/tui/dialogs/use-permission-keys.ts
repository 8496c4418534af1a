import { flushSync } from "@opentui/react";
import type { PermissionDecision } from "../../contracts/index.ts";
import { type PressedKey, textOf } from "../keys/keymap.ts";
import { useKeys, useUi } from "../ui/ui-context.ts";
import { moveIndex } from "./list-window.ts";
import { denyBecause, type PermissionChoice } from "./permission-choices.ts";
import {
  type CommentPlace,
  type CommentState,
  cursorPlace,
  startCommenting,
  stateAfterKey,
} from "./permission-comments.ts";
import { type ReadState, type RequestPage, scrollPage } from "./request-page.ts";
import { useKeyGuard } from "./use-key-guard.ts";

/** What a person has done with a request so far. */
export interface PermissionState extends ReadState, CommentState {
  readonly index: number;
  /** The reason of a "no", while the person types it. */
  readonly reason: string | undefined;
  readonly isAnswered: boolean;
}

/** What {@link usePermissionKeys} needs. */
export interface PermissionKeysOptions {
  /** Receives text that was meant for the input. */
  readonly onTyped: (text: string) => void;
  /** Receives each key first. Returns whether it used the key. */
  readonly onFirst: (key: PressedKey) => boolean;
  /** How long keys after the first drawing are not meant for the dialog, in milliseconds. */
  readonly quietMs: number;
  readonly choices: readonly PermissionChoice[];
  readonly page: RequestPage;
  /** The lines that can have comments. */
  readonly places: readonly CommentPlace[];
  readonly state: { readonly current: () => PermissionState; readonly set: (next: PermissionState) => void };
  readonly onAnswer: (decision: PermissionDecision) => void;
}

/**
 * Answers with the keys of the choices; scrolls until all was visible, then moves between the choices. `c` chooses a line and
 * writes a comment on it. Returns what scrolls.
 */
export function usePermissionKeys(options: PermissionKeysOptions) {
  const { choices, page, places, state, onTyped, onAnswer, onFirst, quietMs } = options;
  const { keymap } = useUi();
  const guard = useKeyGuard(onTyped, { opensItself: true, quietMs });
  const { room, canShow } = page;
  const isRead = page.isRead && canShow;
  const scroll = (by: number): void => state.set({ ...state.current(), ...scrollPage(page, state.current(), by) });
  const choose = (choice: PermissionChoice | undefined, key: PressedKey): void => {
    if (choice === undefined) return guard.keep(key);
    const { decision } = choice;
    const answer = (): void => {
      if (decision === undefined) state.set({ ...state.current(), index: 0, reason: "" });
      // A letter before the end of the request is no answer, but a text may start with it.
      else if (isRead) onAnswer(decision);
    };
    if (key.name !== "return") guard.answerAlone(key, answer);
    else if (guard.isQuiet()) answer();
  };
  const move = (by: number): void => {
    const { index } = state.current();
    if (isRead) state.set({ ...state.current(), index: moveIndex(index, { by, count: choices.length }) });
    else scroll(by);
  };
  const typeReason = (key: PressedKey, reason: string): boolean => {
    if (key.name !== "return") return false;
    onAnswer(denyBecause(reason));
    return true;
  };
  const comment = (next: CommentState): void => {
    state.set({ ...state.current(), ...next });
    const row = cursorPlace(places, next)?.row ?? page.offset;
    const { offset } = state.current();
    scroll(Math.min(0, row - offset) + Math.max(0, row - (offset + room - 1)));
  };
  const commentWith = (key: PressedKey): boolean => {
    const next = stateAfterKey(key, { keymap, state: state.current(), places, room });
    if (next !== undefined) flushSync(() => comment(next));
    return next !== undefined;
  };
  useKeys(
    (key) => {
      if (onFirst(key) || !guard.accepts(key)) return true;
      const { reason, index, cursor } = state.current();
      if (reason !== undefined || cursor !== undefined) guard.forgetText();
      if (keymap.matches("quit", key)) onAnswer(denyBecause(reason ?? ""));
      else if (cursor !== undefined) return commentWith(key);
      else if (keymap.matches("stop", key)) onAnswer(denyBecause(reason ?? ""));
      else if (reason !== undefined) return typeReason(key, reason);
      else if (guard.takeTyping(key)) return true;
      else if (keymap.matches("pageDown", key) || key.name === "space") scroll(room);
      else if (keymap.matches("pageUp", key)) scroll(-room);
      // The end is not shown before what comes before it.
      else if (keymap.matches("follow", key)) scroll(isRead ? Number.MAX_SAFE_INTEGER : room);
      else if (keymap.matches("previous", key)) move(-1);
      else if (keymap.matches("next", key)) move(1);
      else if (key.name === "return") choose(choices[index], key);
      else if (textOf(key) === "c" && places.length > 0)
        guard.answerAlone(key, () => comment(startCommenting(state.current(), places, page.offset)));
      else if (!key.ctrl && !key.meta)
        choose(
          choices.find((choice) => choice.key === key.name),
          key,
        );
      return true;
    },
    { isModal: true },
  );
  return scroll;
}
