import { TextAttributes } from "@opentui/core";
import { useMemo, useState } from "react";
import type { PermissionDecision } from "../../contracts/index.ts";
import { padColumns } from "../../view/index.ts";
import type { OpenAsk } from "../chat/chat-state.ts";
import type { PressedKey } from "../keys/keymap.ts";
import type { ThemeColor } from "../theme/theme.ts";
import { TextField } from "../ui/text-field.tsx";
import { useChat, useKeys, useTheme, useUi } from "../ui/ui-context.ts";
import { WHEEL_ROWS } from "../ui/use-mouse.ts";
import { DialogFrame, useDialogSize } from "./dialog-frame.tsx";
import { KeyGuard } from "./key-guard.ts";
import { moveIndex } from "./list-window.ts";
import { denyBecause, type PermissionChoice, permissionChoices, permissionTitle } from "./permission-choices.ts";
import { type PermissionLine, permissionLines } from "./permission-lines.ts";
import { TextLine } from "./text-line.tsx";
import { useLatestState } from "./use-latest-state.ts";

/** Properties of {@link PermissionDialog}. */
export interface PermissionDialogProps {
  readonly ask: Extract<OpenAsk, { readonly type: "permission" }>;
  readonly otherCount: number;
}

/** The least rows of the request that are shown at once. */
const MIN_REQUEST_ROWS = 3;

interface PermissionState {
  readonly offset: number;
  /** Whether the end of the request was visible. */
  readonly isRead: boolean;
  readonly index: number;
  /** The reason of a "no", while the person types it. */
  readonly reason: string | undefined;
  readonly isAnswered: boolean;
}

/** A tool call that waits for approval, with everything that it will do. A "yes" is possible once its end was visible. */
export function PermissionDialog({ ask, otherCount }: PermissionDialogProps) {
  const { glyphs, keymap } = useUi();
  const { agentType } = useChat();
  const { request, answer } = ask;
  const { columns, rows } = useDialogSize();
  const choices = permissionChoices(request);
  // Once for a request and a width: a command may have a megabyte.
  const lines = useMemo(() => permissionLines(request, { columns, glyphs }), [request, columns, glyphs]);
  // One row says how many lines are left, or is empty.
  const room = Math.max(MIN_REQUEST_ROWS, rows - choices.length - 1);
  const isShort = lines.length <= room;
  const lastOffset = Math.max(0, lines.length - room);
  const { shown, current, set } = useLatestState<PermissionState>({
    ...{ offset: 0, isRead: false, index: 0, reason: undefined, isAnswered: false },
  });
  const offset = Math.min(shown.offset, lastOffset);
  const isRead = shown.isRead || offset === lastOffset;

  const scroll = usePermissionKeys({
    ...{ choices, page: room, lastOffset, isRead },
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
      {lines.slice(offset, offset + room).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
        <RequestLine key={index} line={line} columns={columns} />
      ))}
      <Remaining count={lines.length - offset - room} isRead={isRead} isShort={isShort} />
      {choices.map((choice, index) => (
        <Choice
          key={choice.key}
          choice={choice}
          isSelected={index === shown.index}
          isPossible={isRead || choice.decision === undefined}
          reason={choice.decision === undefined ? shown.reason : undefined}
          onReason={(reason) => set({ ...current(), reason })}
        />
      ))}
    </DialogFrame>
  );
}

interface PermissionKeysOptions {
  readonly choices: readonly PermissionChoice[];
  readonly page: number;
  readonly lastOffset: number;
  /** Whether the end was on the screen. */
  readonly isRead: boolean;
  readonly state: { readonly current: () => PermissionState; readonly set: (next: PermissionState) => void };
  readonly onAnswer: (decision: PermissionDecision) => void;
}

/** Answers with the keys of the choices; scrolls until the end was visible, then moves between the choices. Returns what scrolls. */
function usePermissionKeys({ choices, page, lastOffset, isRead, state, onAnswer }: PermissionKeysOptions) {
  const { keymap, now } = useUi();
  const [guard] = useState(() => new KeyGuard(now));
  const scroll = (by: number): void => {
    const { current, set } = state;
    const offset = Math.max(0, Math.min(lastOffset, current().offset + by));
    set({ ...current(), offset, isRead: current().isRead || isRead });
  };
  const choose = (choice: PermissionChoice | undefined): void => {
    if (choice === undefined) return;
    if (choice.decision === undefined) state.set({ ...state.current(), index: 0, reason: "" });
    else if (isRead) onAnswer(choice.decision);
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
      if (!guard.accepts()) return true;
      const { reason, index } = state.current();
      if (keymap.matches("stop", key) || keymap.matches("quit", key)) onAnswer(denyBecause(reason ?? ""));
      else if (reason !== undefined) return typeReason(key, reason);
      else if (keymap.matches("pageDown", key) || key.name === "space") scroll(page);
      else if (keymap.matches("pageUp", key)) scroll(-page);
      else if (keymap.matches("follow", key)) scroll(lastOffset);
      else if (keymap.matches("previous", key)) move(-1);
      else if (keymap.matches("next", key)) move(1);
      else if (key.name === "return") choose(choices[index]);
      else if (!key.ctrl && !key.meta) choose(choices.find((choice) => choice.key === key.name));
      return true;
    },
    { isModal: true },
  );
  return scroll;
}

function RequestLine({ line: { tone, text }, columns }: { readonly line: PermissionLine; readonly columns: number }) {
  const { colors } = useTheme();
  const looks: Readonly<Record<PermissionLine["tone"], readonly [fg: ThemeColor, bg: ThemeColor]>> = {
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
function Remaining({ count, isRead, isShort }: { count: number; isRead: boolean; isShort: boolean }) {
  const { keymap } = useUi();
  if (isShort) return <TextLine tone="muted" text="" />;
  if (count <= 0) return <TextLine tone="muted" text={`the end (${keymap.labelOf("pageUp")})`} />;
  const lines = `${count} more ${count === 1 ? "line" : "lines"} (${keymap.labelOf("pageDown")})`;
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
  if (reason !== undefined) return <TextField label={text} placeholder="the agent reads this" onInput={onReason} />;
  return (
    <text wrapMode="none" height={1} fg={fg} attributes={isSelected ? TextAttributes.BOLD : TextAttributes.NONE}>
      {text}
    </text>
  );
}
