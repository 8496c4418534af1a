import { TextAttributes } from "@opentui/core";
import { useLayoutEffect, useRef, useState } from "react";
import { columnsOf, formatDuration, visibleMessage } from "../../view/index.ts";
import type { PressedKey } from "../keys/keymap.ts";
import { TextField } from "../ui/text-field.tsx";
import { useKeys, useTheme, useUi } from "../ui/ui-context.ts";
import { type LatestState, useLatestState } from "../ui/use-latest-state.ts";
import { useMouse } from "../ui/use-mouse.ts";
import { type DialogSize, useDialogSize } from "./dialog-frame.tsx";
import { keepInView } from "./list-window.ts";
import { type OptionLine, optionLines, optionStart } from "./question-lines.ts";
import {
  isOnText,
  OPEN_QUESTION,
  type QuestionAction,
  type QuestionShape,
  type QuestionState,
  reduceQuestion,
} from "./question-state.ts";
import { TextLine } from "./text-line.tsx";
import { useKeyGuard } from "./use-key-guard.ts";
import { useNow } from "./use-now.ts";
import { useUnseenLines } from "./use-seen-lines.ts";
import { wrapText } from "./wrap-text.ts";

/** Properties of {@link QuestionForm}. */
export interface QuestionFormProps extends QuestionShape {
  readonly question: string;
  /** What is known besides, in lines below the question. @default nothing */
  readonly notes?: readonly string[];
  /** Whether it takes keys. Otherwise it only shows the question, and its pages. @default true */
  readonly isActive?: boolean;
  /** When an answer comes too late, in milliseconds since 1970. @default never */
  readonly deadline?: number | undefined;
  /** The room for the form. @default that of a dialog */
  readonly size?: DialogSize;
  /** Receives text that was typed before the form was seen. @default it stays: a person opened the form to type */
  readonly onTyped?: (text: string) => void;
  /** How long keys after the first drawing are not meant for the form, in milliseconds. @default 300 */
  readonly quietMs?: number;
  /** Whether all of the form is on the screen: what is not there cannot be chosen. @default true */
  readonly canAnswer?: boolean;
  /** Whether an answer counts only after all lines and options were visible within `size`. @default false */
  readonly mustBeRead?: boolean;
  /** Receives each key before the form. Returns whether it used the key. @default none */
  readonly onFirst?: (key: PressedKey) => boolean;
  /** Receives the person's own text after each change of it. */
  readonly onText?: (text: string) => void;
  /** The labels of the chosen options, and the person's own text. */
  readonly onAnswer: (values: readonly string[]) => void;
  readonly onCancel: () => void;
}

/** A question to a person: its text, the options with their number keys, and a line for an answer of their own. */
export function QuestionForm(props: QuestionFormProps) {
  const {
    question,
    notes = [],
    isActive = true,
    deadline,
    size,
    onTyped,
    onText,
    onAnswer,
    onCancel,
    quietMs,
    canAnswer = true,
    mustBeRead = false,
    onFirst,
    ...shape
  } = props;
  const room = useDialogSize();
  const { columns, rows } = size ?? room;
  const { glyphs } = useUi();
  const mouse = useMouse();
  const state = useLatestState<QuestionState>(OPEN_QUESTION);
  const [scroll, setScroll] = useState(0);
  const left = useTimeLeft(deadline);

  const words = wordsOf(question, notes, { columns, left });
  // A form without keys has no pointer.
  const shown = isActive ? state.shown : { ...state.shown, index: -1 };
  const lines = optionLines(shape, { state: shown, columns, glyphs });
  // An empty row is below the question, the own text is the last row.
  const otherRows = 1 + (shape.acceptsText ? 1 : 0);
  const leastRows = Math.max(2, Math.floor(rows / 3));
  const questionRows = Math.min(words.length, Math.max(leastRows, rows - otherRows - lines.length));
  const offset = Math.min(scroll, words.length - questionRows);
  const scrollBy = (by: number): void =>
    setScroll((before) => Math.max(0, Math.min(words.length - questionRows, Math.min(before, offset) + by)));
  const optionRows = Math.max(2, rows - questionRows - otherRows);
  const window = optionWindow(lines, { rows: optionRows, index: shown.index });
  const reading = useReading({
    ...{ mustBeRead, words, lines, window, first: offset, rows: questionRows, subject: `${columns} ${question}` },
    fits: questionRows + otherRows + window.length <= rows,
  });
  useQuestionKeys({
    ...{ shape, state, isActive, onTyped, onAnswer, onCancel, quietMs, onFirst },
    canAnswer: canAnswer && reading.fits && reading.isRead,
    isShown: (index) => window.some((line) => line.index === index),
    onPage: (by) => scrollBy(by * questionRows),
  });
  return (
    <box flexDirection="column" flexShrink={0} {...mouse.wheel(scrollBy)}>
      {reading.fits ? undefined : <TextLine tone="warning" text="Enlarge the window to answer" />}
      {words.slice(offset, offset + questionRows).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
        <box key={index} flexDirection="row" justifyContent="space-between" height={1}>
          <TextLine {...line} />
          {index === 0 && left !== "" ? <TextLine text={left} tone="warning" /> : undefined}
        </box>
      ))}
      <Hint problem={state.shown.problem} moreLines={words.length - offset - questionRows} {...reading} />
      <Options lines={window} state={shown} />
      {shape.acceptsText ? (
        <TextField
          label={optionStart(shape.options.length, { isSelected: isOnText(shown, shape), glyphs })}
          isActive={isOnText(shown, shape)}
          isFocused={isActive}
          placeholder={shape.options.length === 0 ? "Type your answer" : "Something else: type it"}
          onInput={(text) => {
            state.set(reduceQuestion(state.current(), { action: { type: "type", text }, shape }).state);
            onText?.(text);
          }}
        />
      ) : undefined}
    </box>
  );
}

/** The wrapped lines of a question and its notes. The time left is beside the first. */
function wordsOf(
  question: string,
  notes: readonly string[],
  { columns, left }: { readonly columns: number; readonly left: string },
) {
  return [
    ...wrapText(visibleMessage(question), columns - (left === "" ? 0 : columnsOf(left) + 2)).map(plainLine),
    ...notes.flatMap((note) => wrapText(visibleMessage(note), columns)).map(mutedLine),
  ];
}

interface ReadingOptions {
  readonly mustBeRead: boolean;
  readonly subject: string;
  readonly words: readonly unknown[];
  readonly lines: readonly OptionLine[];
  readonly window: readonly OptionLine[];
  readonly first: number;
  readonly rows: number;
  readonly fits: boolean;
}

/** What a person has read of a question: whether it fits, and whether all of its lines and options were visible. */
function useReading({ mustBeRead, subject, words, lines, window, first, rows, fits }: ReadingOptions) {
  const ofWords = Array.from({ length: rows }, (_, row) => first + row);
  const ofOptions = window.map((line) => words.length + lines.indexOf(line));
  const unseenCount = useUnseenLines({
    subject: `${words.length} ${lines.length} ${subject}`,
    count: words.length + lines.length,
    visible: fits ? [...ofWords, ...ofOptions] : [],
  });
  if (!mustBeRead) return { fits: true, isRead: true, moreOptions: 0 };
  return { fits, isRead: unseenCount === 0, moreOptions: lines.length - window.length };
}

function plainLine(text: string) {
  return { text };
}

function mutedLine(text: string) {
  return { text, tone: "muted" } as const;
}

/** What the keys of a question do, for a footer. */
export function questionKeys({ isMultiple, options }: QuestionShape): readonly string[] {
  if (options.length === 0) return ["enter answer"];
  return isMultiple ? ["space choose", "enter answer"] : ["enter or a number answers"];
}

interface QuestionKeysOptions extends Pick<QuestionFormProps, "onAnswer" | "onCancel"> {
  readonly onTyped: QuestionFormProps["onTyped"];
  readonly isActive: boolean;
  readonly quietMs: number | undefined;
  readonly canAnswer: boolean;
  readonly onFirst: QuestionFormProps["onFirst"];
  /** Whether an option is on the screen. */
  readonly isShown: (index: number) => boolean;
  readonly shape: QuestionShape;
  readonly state: LatestState<QuestionState>;
  readonly onPage: (by: -1 | 1) => void;
}

/** Handles the keys of a question; letters and signs go to the own text, which has the focus. */
function useQuestionKeys(options: QuestionKeysOptions): void {
  const { shape, state, isActive, onTyped, onAnswer, onCancel, onPage, quietMs, canAnswer, onFirst, isShown } = options;
  const { keymap } = useUi();
  const guard = useKeyGuard(onTyped ?? ignore, { isActive, ...(quietMs === undefined ? {} : { quietMs }) });
  const isAnswered = useRef(false);
  useLayoutEffect(() => {
    if (isActive) isAnswered.current = false;
  }, [isActive]);
  const act = (action: QuestionAction): boolean => {
    const { state: next, values } = reduceQuestion(state.current(), { action, shape });
    state.set(next);
    if (values !== undefined && !isAnswered.current && canAnswer) {
      isAnswered.current = true;
      onAnswer(values);
    }
    return true;
  };
  const cancel = (): boolean => {
    if (!isAnswered.current) {
      isAnswered.current = true;
      onCancel();
    }
    return true;
  };
  const turnPage = (key: PressedKey): boolean => {
    const isDown = keymap.matches("pageDown", key);
    if (!isDown && !keymap.matches("pageUp", key)) return false;
    onPage(isDown ? 1 : -1);
    return true;
  };
  const handle = (key: PressedKey): boolean => {
    if (keymap.matches("stop", key) || keymap.matches("quit", key)) return cancel();
    if (keymap.matches("previous", key)) return act({ type: "move", by: -1 });
    if (keymap.matches("next", key)) return act({ type: "move", by: 1 });
    // Enter after other text is the end of that text.
    if (key.name === "return")
      return isOnText(state.current(), shape) || guard.isQuiet() ? act({ type: "submit" }) : true;
    if (turnPage(key)) return true;
    if (isOnText(state.current(), shape)) return false;
    if (key.name === "space" && shape.isMultiple) return act({ type: "toggle" });
    if (/^[1-9]$/.test(key.name)) {
      const number = Number(key.name);
      const by = number - 1 - state.current().index;
      // An option that is not on the screen is shown first.
      if (number <= shape.options.length && !isShown(number - 1)) return act({ type: "move", by });
      guard.answerAlone(key, () => act({ type: "number", number }));
      return true;
    }
    return !shape.acceptsText;
  };
  const press = (key: PressedKey): boolean => {
    if (!isActive) return turnPage(key);
    if (onFirst?.(key) === true) return true;
    // A person opened this form to type: nothing was meant for something else.
    const isMeant = onTyped === undefined && (isOnText(state.current(), shape) || keymap.matches("stop", key));
    return isMeant || guard.accepts(key) ? handle(key) : true;
  };
  useKeys(press, { isModal: isActive });
}

function ignore(): void {}

/** `1m 20s left`; empty without a deadline. */
function useTimeLeft(deadline: number | undefined): string {
  const now = useNow({ isRunning: deadline !== undefined });
  if (deadline === undefined) return "";
  return deadline <= now ? "too late" : `${formatDuration(deadline - now)} left`;
}

interface HintProps {
  readonly problem: string | undefined;
  readonly moreLines: number;
  readonly moreOptions: number;
  readonly isRead: boolean;
}

/** The row between the question and its options. */
function Hint({ problem, moreLines, moreOptions, isRead }: HintProps) {
  const { keymap } = useUi();
  if (problem !== undefined) return <TextLine tone="warning" text={problem} />;
  const below = moreLines > 0 ? [`${moreLines} more (${keymap.labelOf("pageDown")})`] : [];
  const options = moreOptions > 0 ? [`${moreOptions} option lines hidden (${keymap.labelOf("next")})`] : [];
  const then = isRead ? [] : ["then answer"];
  return <TextLine tone={isRead ? "muted" : "warning"} text={[...below, ...options, ...then].join(", ")} />;
}

/** The lines of options that fit, with those of the option under the pointer. */
function optionWindow(
  lines: readonly OptionLine[],
  { rows, index }: { readonly rows: number; readonly index: number },
): readonly OptionLine[] {
  const first = lines.findIndex((line) => line.index === index);
  const last = lines.findLastIndex((line) => line.index === index);
  const window = { size: rows, count: lines.length };
  const end = last === -1 && index >= 0 ? lines.length - 1 : Math.max(0, last);
  const offset = keepInView(first === -1 ? end : first, {
    ...window,
    offset: keepInView(end, { ...window, offset: 0 }),
  });
  return lines.slice(offset, offset + rows);
}

interface OptionsProps {
  readonly lines: readonly OptionLine[];
  readonly state: QuestionState;
}

/** The options that fit. */
function Options({ lines, state }: OptionsProps) {
  const { colors } = useTheme();
  return lines.map(({ index, text, isDescription }, row) => {
    const isSelected = index === state.index;
    const fg = isDescription ? colors.muted : isSelected ? colors.accent : colors.foreground;
    return (
      <text
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
        key={row}
        wrapMode="none"
        height={1}
        fg={fg}
        attributes={isSelected && !isDescription ? TextAttributes.BOLD : TextAttributes.NONE}
      >
        {text}
      </text>
    );
  });
}
