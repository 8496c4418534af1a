import { TextAttributes } from "@opentui/core";
import { useMemo } from "react";
import { toReadable } from "../../view/permissions.ts";
import type { OpenAsk } from "../chat/chat-state.ts";
import type { DiffComment } from "../chat/diff-comments.ts";
import type { Keymap } from "../keys/keymap.ts";
import { TextField } from "../ui/text-field.tsx";
import { useChat, useTheme, useUi } from "../ui/ui-context.ts";
import { useLatestState } from "../ui/use-latest-state.ts";
import { WHEEL_ROWS } from "../ui/use-mouse.ts";
import { useScreenSize } from "../ui/use-screen-size.ts";
import type { AskProps } from "./ask-props.ts";
import { aboutReplacement, placeInTitle, quietMsOf } from "./ask-row.ts";
import { DialogFrame, useDialogSize } from "./dialog-frame.tsx";
import { DENIALS, type PermissionChoice, permissionChoices, permissionTitle } from "./permission-choices.ts";
import { answerWith, commentPlaces, cursorPlace, keepDraft, NOTHING_WRITTEN } from "./permission-comments.ts";
import { permissionLines } from "./permission-lines.ts";
import { pageOf, readPage } from "./request-page.ts";
import { RequestRows } from "./request-rows.tsx";
import { stopHelp, useAskKeys } from "./use-ask-keys.ts";
import { useIsWhole } from "./use-is-whole.ts";
import { type PermissionState, usePermissionKeys } from "./use-permission-keys.ts";
import { useUnsentComments } from "./use-unsent-comments.ts";

/** Properties of {@link PermissionDialog}. */
export interface PermissionDialogProps extends AskProps {
  readonly ask: Extract<OpenAsk, { readonly type: "permission" }>;
}

/** The rows of the request that are shown at once, where the terminal has them. */
const MIN_REQUEST_ROWS = 3;

/**
 * Rows beside the request and its choices: the border, the remaining lines, and the title and status of the screen. Where the
 * terminal has fewer, the dialog can still be whole: it covers the status.
 */
const OTHER_ROWS = 6;

/** Columns before the text of a choice: the pointer and the key. */
const CHOICE_COLUMNS = 5;

/** Sends the comments of an answer. A "no" has them in its reason, and no message. */
function sendComments(
  chat: ReturnType<typeof useUi>["chat"],
  { comments, message }: { readonly comments: readonly DiffComment[]; readonly message: string | undefined },
): void {
  if (comments.length === 0) return;
  const sending = chat.comments.startSending(comments);
  if (message === undefined) chat.comments.markSent(sending);
  else chat.send(message, [], sending);
}

/** A tool call that waits for approval, with everything that it will do. A "yes" is possible once all of it was visible. */
export function PermissionDialog(props: PermissionDialogProps) {
  const { ask, place, onTyped, onPasted, onInterrupt, onAnswered } = props;
  const { chat, keymap } = useUi();
  const { agentType } = useChat();
  const { request, tooLong, lines } = useRequestLines(props);
  const { columns, rows } = useDialogSize();
  const choices = tooLong === undefined ? permissionChoices(request) : DENIALS;
  const free = useScreenSize().height - OTHER_ROWS - choices.length;
  const room = Math.max(1, Math.min(free, Math.max(MIN_REQUEST_ROWS, rows - choices.length - 1)));
  const { shown, current, set } = useLatestState<PermissionState>({
    ...{ offset: 0, lines, seen: 0, isRead: false, index: 0, reason: undefined, isAnswered: false },
    ...NOTHING_WRITTEN,
  });
  const places = useMemo(() => commentPlaces(lines), [lines]);
  useUnsentComments(current, { places, requestId: ask.id });
  // An answer whose text is cut is none that a person has seen.
  const isWide = choices.every(({ label }) => CHOICE_COLUMNS + label.length <= columns);
  const { box, isWhole } = useIsWhole((isWholeNow) => {
    if (!isWholeNow) return;
    const read = readPage(current(), { ...page, canShow: isWide });
    if (read !== current()) set(read);
  });
  // The line that a comment is about stays visible, also when the window changes.
  const read = pageOf(shown, { lines, room, row: cursorPlace(places, shown)?.row, canShow: isWide && isWhole });
  // Where no answer waits for the end, the pages need no order.
  const page = tooLong === undefined ? read : { ...read, isRead: true, isLast: true };
  const onFirst = useAskKeys({
    ...{ onInterrupt, onPasted },
    hasField: () => current().reason !== undefined || current().draft !== undefined,
  });
  const scroll = usePermissionKeys({
    ...{ choices, page, places, onTyped, onFirst, quietMs: quietMsOf(place) },
    state: { current, set },
    onAnswer: (given) => {
      if (current().isAnswered) return;
      const { comments } = keepDraft(current(), places);
      set({ ...current(), isAnswered: true });
      onAnswered();
      const { decision, message } = answerWith(given, comments);
      ask.answer(decision);
      sendComments(chat, { comments: comments.comments, message });
    },
  });
  const footer = footerOf(props, { state: shown, keymap });
  return (
    <DialogFrame
      title={`${placeInTitle(place)}${permissionTitle(agentType, request)}`}
      footer={footer}
      box={box}
      tone="warning"
      onWheel={(direction) => scroll(direction * WHEEL_ROWS)}
    >
      <RequestRows
        {...{ page, lines, places, columns }}
        comments={shown}
        onInput={(draft) => set({ ...current(), ...(current().draft === undefined ? {} : { draft }) })}
      />
      {choices.map((choice, index) => (
        <Choice
          key={choice.key}
          choice={choice}
          isSelected={index === shown.index}
          isPossible={page.isLast || choice.decision === undefined}
          reason={choice.decision === undefined ? shown.reason : undefined}
          onReason={(reason) => set({ ...current(), reason })}
        />
      ))}
    </DialogFrame>
  );
}

/** The request as far as a person can read it, wrapped once for a width: a long command takes a while. */
function useRequestLines({ ask, place }: PermissionDialogProps) {
  const { glyphs } = useUi();
  const { columns } = useDialogSize();
  return useMemo(() => {
    const { request, tooLong } = toReadable(ask.request);
    const notes = [aboutReplacement(place), tooLong].filter((note) => note !== undefined);
    return { request, tooLong, lines: permissionLines(request, { columns, glyphs, notes }) };
  }, [ask.request, columns, glyphs, place]);
}

/** What waits, and what the keys do. */
function footerOf(
  { otherCount, place }: PermissionDialogProps,
  { state, keymap }: { readonly state: PermissionState; readonly keymap: Keymap },
): readonly string[] {
  const waiting = otherCount === 0 ? [] : [`${otherCount} more ${otherCount === 1 ? "waits" : "wait"}`];
  const count = state.comments.comments.length;
  const written = count === 0 ? [] : [`${count} ${count === 1 ? "comment goes" : "comments go"} with the answer`];
  const leaving = state.cursor === undefined ? "= no" : "ends comments";
  const stop = stopHelp(place, keymap.labelOf("quit"));
  return [...waiting, stop, ...written, `${keymap.labelOf("stop")} ${leaving}`];
}

interface ChoiceProps {
  readonly choice: PermissionChoice;
  readonly isSelected: boolean;
  readonly isPossible: boolean;
  readonly reason: string | undefined;
  readonly onReason: (reason: string) => void;
}

function Choice({ choice: { key, label }, isSelected, isPossible, reason, onReason }: ChoiceProps) {
  const { colors } = useTheme();
  const { glyphs } = useUi();
  const fg = isPossible ? (isSelected ? colors.accent : colors.foreground) : colors.muted;
  const text = `${isSelected ? glyphs.pointer : " "} ${key}  ${reason === undefined ? label : "No, because "}`;
  if (reason !== undefined)
    return <TextField label={text} placeholder="(a reason for the agent, or nothing)" onInput={onReason} />;
  return (
    <text wrapMode="none" height={1} fg={fg} attributes={isSelected ? TextAttributes.BOLD : TextAttributes.NONE}>
      {text}
    </text>
  );
}
