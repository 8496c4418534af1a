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
export interface QuestionLayoutOptions extends Omit<OptionLinesOptions, "areWhole"> {
  /** The lines of the question and its notes. */
  readonly wordCount: number;
  /** The rows of the form. */
  readonly rows: number;
  /** The rows that it may have where descriptions need them. */
  readonly mostRows: number;
}

/** How a question shares its rows. */
export interface QuestionLayout {
  /** Whether there is room for a line of the question and for any one of its options, and an answer. */
  readonly fits: boolean;
  /** The rows of the question and its notes. */
  readonly questionRows: number;
  /** All lines of the options, with whole descriptions. */
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

/**
 * Shares the rows between the question and its options: each line and each option can be visible, one after the other. All
 * descriptions are whole where there is room, else that of the option under the pointer. The height does not depend on
 * where the pointer is.
 */
export function layoutQuestion(shape: QuestionShape, options: QuestionLayoutOptions): QuestionLayout {
  const { wordCount, rows, mostRows, state, columns } = options;
  const lines = optionLines(shape, { ...options, areWhole: true });
  if (leastQuestionRows(shape, columns) > mostRows) {
    const questionRows = Math.min(wordCount, Math.max(0, rows - 1));
    return { fits: false, questionRows, lines, window: [], hiddenCount: shape.options.length, emptyRows: 0 };
  }
  const [free, most] = [rows - otherRowsOf(shape), mostRows - otherRowsOf(shape)];
  const shortCount = optionLines(shape, { ...options, state: { ...state, index: -1 } }).length;
  const highest = highestOption(shape, columns);
  const wanted = Math.min(wordCount, Math.max(1, Math.floor(rows / 3), free - shortCount));
  const questionRows = Math.min(wanted, most - highest);
  const optionRows = Math.min(shortCount, Math.max(1, free - questionRows));
  const areWhole = lines.length <= most - questionRows;
  const wantedRows = areWhole ? lines.length : optionRows + Math.max(0, longestDescription(shape, columns) - 1);
  const windowRows = Math.max(highest, Math.min(most - questionRows, wantedRows));
  const window = optionWindow(optionLines(shape, { ...options, areWhole }), { rows: windowRows, index: state.index });
  const visible = new Set(window.map(({ id }) => id));
  const hidden = new Set(lines.filter(({ id }) => !visible.has(id)).map(({ index }) => index));
  return {
    ...{ fits: true, questionRows, lines, window, hiddenCount: hidden.size },
    emptyRows: windowRows - window.length,
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
