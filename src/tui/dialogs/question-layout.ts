import { keepInView } from "./list-window.ts";
import {
  highestOption,
  longestDescription,
  type OptionLine,
  type OptionLinesOptions,
  optionLines,
} from "./question-lines.ts";
import type { QuestionShape } from "./question-state.ts";

/** What a question's layout depends on. */
export interface QuestionLayoutOptions extends Omit<OptionLinesOptions, "descriptionRows"> {
  /** The lines of the question and its notes. */
  readonly wordCount: number;
  /** The rows of the form. */
  readonly rows: number;
  /** The rows that it may have where a description needs them. */
  readonly mostRows: number;
  /** Whether each line and each option must be visible within `rows`, one after the other. */
  readonly mustBeRead: boolean;
}

/** How a question shares its rows. */
export interface QuestionLayout {
  /** Whether there is room for a line of the question and for any one of its options, and an answer. */
  readonly fits: boolean;
  /** The rows of the question and its notes. */
  readonly questionRows: number;
  /** All lines of the options. */
  readonly lines: readonly OptionLine[];
  /** The lines of the options that are visible, with those of the option under the pointer. */
  readonly window: readonly OptionLine[];
  /** How many options are not visible, or not whole. */
  readonly hiddenCount: number;
  /** Rows below the options: another option's description needs them. */
  readonly emptyRows: number;
}

/** The fewest rows in which all of a question can be read: a line of it, a hint, an option, and the own text. */
export function leastQuestionRows(shape: QuestionShape, columns: number): number {
  return 1 + otherRowsOf(shape) + highestOption(shape, columns);
}

/** Shares the rows between the question and its options. The height does not depend on where the pointer is. */
export function layoutQuestion(shape: QuestionShape, options: QuestionLayoutOptions): QuestionLayout {
  const { wordCount, rows, mostRows, mustBeRead, state, columns } = options;
  const short = optionLines(shape, options);
  if (mustBeRead && leastQuestionRows(shape, columns) > rows) {
    const questionRows = Math.min(wordCount, Math.max(0, rows - 1));
    return { fits: false, questionRows, lines: short, window: [], hiddenCount: shape.options.length, emptyRows: 0 };
  }
  const free = rows - otherRowsOf(shape);
  const least = Math.max(mustBeRead ? 1 : 2, Math.floor(rows / 3));
  const wanted = Math.min(wordCount, Math.max(least, free - short.length));
  const questionRows = mustBeRead ? Math.min(wanted, free - highestOption(shape, columns)) : wanted;
  const optionRows = Math.min(short.length, Math.max(mustBeRead ? 1 : 2, free - questionRows));
  const spare = mostRows - questionRows - otherRowsOf(shape) - optionRows;
  const extraRows = Math.max(0, Math.min(spare, longestDescription(shape, columns) - 1));
  const lines = extraRows === 0 ? short : optionLines(shape, { ...options, descriptionRows: 1 + extraRows });
  const window = optionWindow(lines, { rows: optionRows + extraRows, index: state.index });
  const hidden = new Set(lines.filter((line) => !window.includes(line)).map(({ index }) => index));
  return {
    ...{ fits: true, questionRows, lines, window, hiddenCount: hidden.size },
    emptyRows: optionRows + extraRows - window.length,
  };
}

/** An empty row or a hint is below the question; the own text is the last row. */
function otherRowsOf({ acceptsText }: QuestionShape): number {
  return 1 + (acceptsText ? 1 : 0);
}

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
