import type { InputRenderable } from "@opentui/core";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { columnsOf, formatDuration, safeLine, visibleMessage } from "../../view/index.ts";
import type { PressedKey } from "../keys/keymap.ts";
import { useKeys, useUi } from "../ui/ui-context.ts";
import { type LatestState, useLatestState } from "../ui/use-latest-state.ts";
import { useMouse } from "../ui/use-mouse.ts";
import { type DialogSize, useDialogSize } from "./dialog-frame.tsx";
import { layoutQuestion, type QuestionLayout } from "./question-layout.ts";
import { Options, OwnText } from "./question-rows.tsx";
import {
  isOnText,
  OPEN_QUESTION,
  type QuestionAction,
  type QuestionShape,
  type QuestionState,
  reduceQuestion,
} from "./question-state.ts";
import { TextLine } from "./text-line.tsx";
import { useIsWhole } from "./use-is-whole.ts";
import { useKeyGuard } from "./use-key-guard.ts";
import { useNow } from "./use-now.ts";
import { useSeenLines } from "./use-seen-lines.ts";
import { wrapText } from "./wrap-text.ts";

/** Properties of {@link QuestionForm}. */
export interface QuestionFormProps extends QuestionShape {
  readonly question: string;
  /** What is known besides, in lines below the question. @default nothing */
  readonly notes?: readonly string[];
  /** Why the answer before was rejected, below the notes. @default nothing */
  readonly rejection?: string | undefined;
  /** What was chosen and typed before. Read once. @default nothing */
  readonly draft?: QuestionState | undefined;
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
  /** Receives what a person can do with the question now, after each change. */
  readonly onProgress?: (progress: QuestionProgress) => void;
  /** Receives each key before the form. Returns whether it used the key. @default none */
  readonly onFirst?: (key: PressedKey) => boolean;
  /** Receives the person's own text after each change of it. */
  readonly onText?: (text: string) => void;
  /** The labels of the chosen options, and the person's own text. */
  readonly onAnswer: (values: readonly string[]) => void;
  readonly onCancel: () => void;
}

/** Whether a question can be answered: `small` in a window without the room, `unread` before all of it was visible. */
export type QuestionProgress = "small" | "unread" | "ready";

/**
 * A question to a person: its text, the options with their number keys, and a line for an answer of their own. An answer
 * counts after all lines of the question and of its options were visible.
 */
export function QuestionForm(props: QuestionFormProps) {
  const {
    question,
    notes = [],
    rejection,
    draft = OPEN_QUESTION,
    isActive = true,
    deadline,
    size,
    onTyped,
    onText,
    onAnswer,
    onCancel,
    quietMs,
    canAnswer = true,
    onProgress,
    onFirst,
    ...shape
  } = props;
  const room = useDialogSize();
  const { columns, rows, mostRows } = size ?? room;
  const { glyphs } = useUi();
  const mouse = useMouse();
  const state = useLatestState<QuestionState>(draft);
  const left = useTimeLeft(deadline);

  const words = wordsOf({ question, notes, rejection }, { columns, left });
  // A form without keys has no pointer.
  const shown = isActive ? state.shown : { ...state.shown, index: -1 };
  const layout = layoutQuestion(shape, {
    ...{ state: shown, columns, glyphs, rows, mostRows },
    wordCount: words.length,
  });
  const { fits, questionRows, window, emptyRows } = layout;
  const subject = JSON.stringify([columns, words.length, question, shape]);
  const { offset, move } = useScroll(subject, words.length - questionRows);
  const { box, isRead, isUnread, readCount, isOptionRead } = useReading({
    ...layout,
    subject,
    offset,
    wordCount: words.length,
  });
  const scrollBy = (by: number): void => move(by, readCount);
  const progress = fits ? (isRead ? "ready" : "unread") : "small";
  useEffect(() => onProgress?.(progress), [onProgress, progress]);
  const field = useRef<InputRenderable>(null);
  useQuestionKeys({
    ...{ field, shape, state, isActive, onTyped, onAnswer, onCancel, quietMs, onFirst },
    canAnswer: canAnswer && fits && isRead,
    isShown: (index) => window.some((line) => line.index === index) && isOptionRead(index),
    onPage: (by) => scrollBy(by * Math.max(1, questionRows)),
  });
  return (
    <box ref={box} flexDirection="column" flexShrink={0} {...mouse.wheel(scrollBy)}>
      {fits ? undefined : <TextLine tone="warning" text="Enlarge the window to answer" />}
      <Words words={words.slice(offset, offset + questionRows)} left={left} />
      {fits ? (
        <Hint
          {...{ problem: state.shown.problem, columns, isActive, isUnread }}
          moreLines={words.length - offset - questionRows}
          moreOptions={layout.hiddenCount}
        />
      ) : undefined}
      <Options lines={window} state={shown} />
      <box height={emptyRows} flexShrink={0} />
      {shape.acceptsText ? (
        <OwnText
          text={draft.text}
          {...{ shape, field, isActive: isActive && fits, isOnText: isOnText(shown, shape), isShown: fits }}
          onInput={(text) => takeText(text, { state, shape, onText })}
        />
      ) : undefined}
    </box>
  );
}

/** The first visible line of a text. Wrapped at another width, its lines are others: the view is back at the first. */
function useScroll(subject: string, last: number) {
  const [scroll, setScroll] = useState({ subject, lines: 0 });
  const linesOf = (before: typeof scroll): number => (before.subject === subject ? Math.min(before.lines, last) : 0);
  const move = (by: number, most: number): void =>
    setScroll((before) => ({ subject, lines: Math.max(0, Math.min(last, most, linesOf(before) + by)) }));
  return { offset: linesOf(scroll), move };
}

/** Keeps the person's own text. */
function takeText(
  text: string,
  {
    state,
    shape,
    onText,
  }: Pick<QuestionKeysOptions, "state" | "shape"> & { readonly onText: QuestionFormProps["onText"] },
): void {
  state.set(reduceQuestion(state.current(), { action: { type: "type", text }, shape }).state);
  onText?.(text);
}

/** The wrapped lines of a question and its notes. The time left is beside the first. */
function wordsOf(
  { question, notes = [], rejection = "" }: Pick<QuestionFormProps, "question" | "notes" | "rejection">,
  { columns, left }: { readonly columns: number; readonly left: string },
) {
  return [
    ...wrapText(visibleMessage(question), columns - (left === "" ? 0 : columnsOf(left) + 2)).map(plainLine),
    ...notes.flatMap((note) => wrapText(visibleMessage(note), columns)).map(mutedLine),
    ...(rejection === "" ? [] : wrapText(visibleMessage(rejection), columns)).map(warningLine),
  ];
}

interface WordsProps {
  readonly words: ReturnType<typeof wordsOf>;
  /** The time left, beside the first row. */
  readonly left: string;
}

/** The visible lines of the question and its notes. */
function Words({ words, left }: WordsProps) {
  return words.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
    <box key={index} flexDirection="row" justifyContent="space-between" height={1}>
      <TextLine {...line} />
      {index === 0 && left !== "" ? <TextLine text={left} tone="warning" /> : undefined}
    </box>
  ));
}

interface ReadingOptions extends Pick<QuestionLayout, "fits" | "lines" | "window" | "questionRows"> {
  readonly subject: string;
  readonly wordCount: number;
  /** The first visible line of the question. */
  readonly offset: number;
}

/** What a person has read of a question: lines and options count once they were in a frame. */
function useReading(options: ReadingOptions) {
  const { subject, wordCount, lines, window, offset, questionRows, fits } = options;
  const wordIds = (from: number, count: number) => Array.from({ length: count }, (_, row) => `line ${from + row}`);
  const ofWords = wordIds(0, wordCount);
  const { unseen, leftCount, noteFrame } = useSeenLines({
    subject,
    needed: [...ofWords, ...lines.map(({ id }) => id)],
    visible: [...wordIds(offset, questionRows), ...window.map(({ id }) => id)],
  });
  const { box, isWhole } = useIsWhole((isWholeNow) => {
    if (isWholeNow && fits) noteFrame();
  });
  const isRead = isWhole && unseen.length === 0;
  // Several pages can be turned before the next frame: the lines between them would be seen by nobody.
  const first = fits ? ofWords.findIndex((id) => unseen.includes(id)) : -1;
  const isOptionRead = (index: number): boolean =>
    lines.every((line) => line.index !== index || !unseen.includes(line.id));
  return { box, isRead, isUnread: leftCount > 0, readCount: first === -1 ? wordCount : first, isOptionRead };
}

function plainLine(text: string) {
  return { text };
}

function mutedLine(text: string) {
  return { text, tone: "muted" } as const;
}

function warningLine(text: string) {
  return { text, tone: "warning" } as const;
}

/** What the keys of a question do, for a footer. */
export function questionKeys({ isMultiple, options }: QuestionShape): readonly string[] {
  if (options.length === 0) return ["enter answer"];
  return isMultiple ? ["space choose", "enter answer"] : ["enter or a number answers"];
}

interface QuestionKeysOptions extends Pick<QuestionFormProps, "onAnswer" | "onCancel"> {
  readonly onTyped: QuestionFormProps["onTyped"];
  /** The own text. */
  readonly field: RefObject<InputRenderable | null>;
  readonly isActive: boolean;
  readonly quietMs: number | undefined;
  readonly canAnswer: boolean;
  readonly onFirst: QuestionFormProps["onFirst"];
  /** Whether an option is on the screen, and was there whole. */
  readonly isShown: (index: number) => boolean;
  readonly shape: QuestionShape;
  readonly state: LatestState<QuestionState>;
  readonly onPage: (by: -1 | 1) => void;
}

/** Handles the keys of a question; letters and signs go to the own text, which has the focus. */
function useQuestionKeys(options: QuestionKeysOptions): void {
  const { shape, state, isActive, onTyped, onAnswer, onCancel, onPage, quietMs, canAnswer, onFirst, isShown } = options;
  const { keymap } = useUi();
  const { field } = options;
  // A text of the person's own can start with a digit.
  const onContinued = shape.acceptsText ? (text: string) => field.current?.insertText(text) : undefined;
  const guard = useKeyGuard(onTyped ?? ignore, { isActive, quietMs, opensItself: onTyped !== undefined, onContinued });
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
    if (key.ctrl || key.meta) return !shape.acceptsText;
    if (key.name === "space" && shape.isMultiple) return act({ type: "toggle" });
    if (/^[1-9]$/.test(key.name)) {
      const number = Number(key.name);
      const by = number - 1 - state.current().index;
      // An option that is not on the screen, or was never whole there, is shown first.
      if (number <= shape.options.length && !isShown(number - 1)) return act({ type: "move", by });
      guard.answerAlone(key, () => act({ type: "number", number }));
      return true;
    }
    if (!shape.acceptsText) guard.keep(key);
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
  readonly columns: number;
  readonly problem: string | undefined;
  readonly moreLines: number;
  readonly moreOptions: number;
  /** Whether the keys move between the options. */
  readonly isActive: boolean;
  /** Whether an answer counts only after something that is not visible yet. */
  readonly isUnread: boolean;
}

/** The row between the question and its options. */
function Hint({ columns, problem, moreLines, moreOptions, isActive, isUnread }: HintProps) {
  const { keymap } = useUi();
  if (problem !== undefined) return <TextLine tone="warning" text={problem} />;
  const key = isActive ? ` (${keymap.labelOf("next")})` : "";
  const below = moreLines > 0 ? [`${moreLines} more (${keymap.labelOf("pageDown")})`] : [];
  const options = moreOptions > 0 ? [`${moreOptions} more option${moreOptions === 1 ? "" : "s"}${key}`] : [];
  const hidden = [...below, ...options].join(", ");
  const whole = isActive && isUnread && hidden !== "" ? `${hidden}, then answer` : hidden;
  const text = columnsOf(whole) <= columns ? whole : safeLine(hidden, columns);
  return <TextLine tone={isUnread ? "warning" : "muted"} text={text} />;
}
