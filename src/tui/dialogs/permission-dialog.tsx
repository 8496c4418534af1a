import { TextAttributes } from "@opentui/core";
import { useMemo } from "react";
import type { PermissionDecision } from "../../contracts/index.ts";
import { padColumns } from "../../view/index.ts";
import type { OpenAsk } from "../chat/chat-state.ts";
import type { PressedKey } from "../keys/keymap.ts";
import type { ShownColor } from "../theme/shown-theme.ts";
import { TextField } from "../ui/text-field.tsx";
import { useChat, useKeys, useTheme, useUi } from "../ui/ui-context.ts";
import { WHEEL_ROWS } from "../ui/use-mouse.ts";
import { useScreenSize } from "../ui/use-screen-size.ts";
import { DialogFrame, useDialogSize } from "./dialog-frame.tsx";
import { moveIndex } from "./list-window.ts";
import { denyBecause, type PermissionChoice, permissionChoices, permissionTitle } from "./permission-choices.ts";
import { type PermissionLine, permissionLines } from "./permission-lines.ts";
import { pageOf, type ReadState, type RequestPage, scrollPage } from "./request-page.ts";
import { TextLine } from "./text-line.tsx";
import { useKeyGuard } from "./use-key-guard.ts";
import { useLatestState } from "./use-latest-state.ts";

/** Properties of {@link PermissionDialog}. */
export interface PermissionDialogProps {
  readonly ask: Extract<OpenAsk, { readonly type: "permission" }>;
  readonly otherCount: number;
  /** Receives text that was meant for the input. */
  readonly onTyped: (text: string) => void;
}

/** The rows of the request that are shown at once, where the terminal has them. */
const MIN_REQUEST_ROWS = 3;

/** Rows beside the request and its choices: the border, the remaining lines, and the title and status of the screen. */
const OTHER_ROWS = 6;

/** Columns before the text of a choice: the pointer and the key. */
const CHOICE_COLUMNS = 5;

interface PermissionState extends ReadState {
  readonly index: number;
  /** The reason of a "no", while the person types it. */
  readonly reason: string | undefined;
  readonly isAnswered: boolean;
}

/** A tool call that waits for approval, with everything that it will do. A "yes" is possible once all of it was visible. */
export function PermissionDialog({ ask, otherCount, onTyped }: PermissionDialogProps) {
  const { glyphs, keymap } = useUi();
  const { agentType } = useChat();
  const { request, answer } = ask;
  const { columns, rows } = useDialogSize();
  const { height } = useScreenSize();
  const choices = permissionChoices(request);
  // Once for a request and a width: a command may have a megabyte.
  const lines = useMemo(() => permissionLines(request, { columns, glyphs }), [request, columns, glyphs]);
  const free = height - OTHER_ROWS - choices.length;
  const room = Math.max(1, Math.min(free, Math.max(MIN_REQUEST_ROWS, rows - choices.length - 1)));
  const { shown, current, set } = useLatestState<PermissionState>({
    ...{ offset: 0, lines, seen: 0, isRead: false, index: 0, reason: undefined, isAnswered: false },
  });
  // An answer whose text is cut is none that a person has seen.
  const isWide = choices.every(({ label }) => CHOICE_COLUMNS + label.length <= columns);
  const page = pageOf(shown, { lines, room, canShow: free >= 1 && isWide });
  const scroll = usePermissionKeys({
    ...{ choices, page, onTyped },
    state: { current, set },
    onAnswer: (decision) => {
      if (current().isAnswered) return;
      set({ ...current(), isAnswered: true });
      answer(decision);
    },
  });
  const waiting = otherCount === 0 ? [] : [`${otherCount} more ${otherCount === 1 ? "waits" : "wait"}`];
  const footer = [...waiting, `${keymap.labelOf("stop")} = no`];
  return (
    <DialogFrame
      title={permissionTitle(agentType, request)}
      footer={footer}
      tone="warning"
      onWheel={(direction) => scroll(direction * WHEEL_ROWS)}
    >
      {lines.slice(page.offset, page.offset + room).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
        <RequestLine key={index} line={line} columns={columns} />
      ))}
      <Remaining page={page} />
      {choices.map((choice, index) => (
        <Choice
          key={choice.key}
          choice={choice}
          isSelected={index === shown.index}
          isPossible={(page.isRead && page.canShow) || choice.decision === undefined}
          reason={choice.decision === undefined ? shown.reason : undefined}
          onReason={(reason) => set({ ...current(), reason })}
        />
      ))}
    </DialogFrame>
  );
}

interface PermissionKeysOptions extends Pick<PermissionDialogProps, "onTyped"> {
  readonly choices: readonly PermissionChoice[];
  readonly page: RequestPage;
  readonly state: { readonly current: () => PermissionState; readonly set: (next: PermissionState) => void };
  readonly onAnswer: (decision: PermissionDecision) => void;
}

/** Answers with the keys of the choices; scrolls until all was visible, then moves between the choices. Returns what scrolls. */
function usePermissionKeys({ choices, page, state, onTyped, onAnswer }: PermissionKeysOptions) {
  const { keymap } = useUi();
  const guard = useKeyGuard(onTyped);
  const { room, canShow } = page;
  const isRead = page.isRead && canShow;
  const scroll = (by: number): void => state.set({ ...state.current(), ...scrollPage(page, state.current(), by) });
  const choose = (choice: PermissionChoice | undefined, key: PressedKey): void => {
    if (choice === undefined) return;
    const { decision } = choice;
    if (decision === undefined) state.set({ ...state.current(), index: 0, reason: "" });
    else if (!isRead) return;
    else if (key.name !== "return") guard.answerAlone(key, () => onAnswer(decision));
    else if (guard.isQuiet()) onAnswer(decision);
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
  useKeys(
    (key) => {
      if (!guard.accepts(key)) return true;
      const { reason, index } = state.current();
      if (keymap.matches("stop", key) || keymap.matches("quit", key)) onAnswer(denyBecause(reason ?? ""));
      else if (reason !== undefined) return typeReason(key, reason);
      else if (guard.takeTyping(key)) return true;
      else if (keymap.matches("pageDown", key) || key.name === "space") scroll(room);
      else if (keymap.matches("pageUp", key)) scroll(-room);
      // The end is not shown before what comes before it.
      else if (keymap.matches("follow", key)) scroll(isRead ? Number.MAX_SAFE_INTEGER : room);
      else if (keymap.matches("previous", key)) move(-1);
      else if (keymap.matches("next", key)) move(1);
      else if (key.name === "return") choose(choices[index], key);
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

function RequestLine({ line: { tone, text }, columns }: { readonly line: PermissionLine; readonly columns: number }) {
  const { colors } = useTheme();
  const looks: Readonly<Record<PermissionLine["tone"], readonly [fg: ShownColor, bg: ShownColor]>> = {
    fact: [colors.muted, colors.background],
    agent: [colors.foreground, colors.background],
    added: [colors.foreground, colors.addedLine],
    removed: [colors.foreground, colors.removedLine],
    warning: [colors.warning, colors.background],
  };
  const [fg, bg] = looks[tone];
  return (
    <text wrapMode="none" height={1} fg={fg} bg={bg}>
      {padColumns(text, columns)}
    </text>
  );
}

/** How much of the request is below; an empty row when all of it is shown. */
function Remaining({ page }: { readonly page: RequestPage }) {
  const { keymap } = useUi();
  const { left, isRead, isShort, canShow } = page;
  if (!canShow) return <TextLine tone="warning" text="Enlarge the window for yes." />;
  if (isShort) return <TextLine tone="muted" text="" />;
  if (left === 0) return <TextLine tone="muted" text={`the end (${keymap.labelOf("pageUp")})`} />;
  const lines = `${left} more ${left === 1 ? "line" : "lines"} (${keymap.labelOf("pageDown")})`;
  return isRead ? <TextLine tone="muted" text={lines} /> : <TextLine tone="warning" text={`${lines}, then yes`} />;
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
