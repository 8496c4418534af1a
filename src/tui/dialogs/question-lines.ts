import { safeLine, visibleLabel } from "../../view/index.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import type { QuestionShape, QuestionState } from "./question-state.ts";
import { wrapText } from "./wrap-text.ts";

/** A line of the options of a question. */
export interface OptionLine {
  /** The option's place. */
  readonly index: number;
  /** The same for a part of an option wherever the pointer is: a line of its label, or its description. */
  readonly id: string;
  readonly text: string;
  readonly isDescription: boolean;
}

/** Settings of {@link optionLines}. */
export interface OptionLinesOptions {
  readonly state: QuestionState;
  readonly columns: number;
  readonly glyphs: Glyphs;
  /** The most rows for the description of the option under the pointer. @default 1, as the others have */
  readonly descriptionRows?: number;
}

/** Columns of the pointer and the number before an option. */
const NUMBER_COLUMNS = 5;
const MARK_COLUMNS = 2;

/** The options: each label wrapped under its number, with one line of its description; more where the pointer is. */
export function optionLines(
  shape: QuestionShape,
  { state, columns, glyphs, descriptionRows = 1 }: OptionLinesOptions,
): readonly OptionLine[] {
  const indent = indentOf(shape);
  return shape.options.flatMap((option, index) => {
    const isSelected = state.index === index;
    const start = `${optionStart(index, { isSelected, glyphs })}${
      shape.isMultiple ? `${state.chosen.includes(index) ? glyphs.chosen : glyphs.unchosen} ` : ""
    }`;
    const labels = labelRows(option, columns - indent).map((text, line) => ({
      ...{ index, id: `${index} ${line}`, isDescription: false },
      text: `${line === 0 ? start : " ".repeat(indent)}${text}`,
    }));
    const most = isSelected ? descriptionRows : 1;
    const descriptions = cutRows(descriptionRowsOf(option, columns - indent), { most, columns: columns - indent });
    return [
      ...labels,
      ...descriptions.map((text) => ({
        ...{ index, id: `${index} description`, isDescription: true },
        text: `${" ".repeat(indent)}${text}`,
      })),
    ];
  });
}

/** The rows of the highest option while the pointer is elsewhere. */
export function highestOption(shape: QuestionShape, columns: number): number {
  const room = columns - indentOf(shape);
  const heights = shape.options.map(
    (option) => labelRows(option, room).length + Math.min(1, descriptionRowsOf(option, room).length),
  );
  return Math.max(0, ...heights);
}

/** How many rows the longest description needs. */
export function longestDescription(shape: QuestionShape, columns: number): number {
  return Math.max(0, ...shape.options.map((option) => descriptionRowsOf(option, columns - indentOf(shape)).length));
}

/** The pointer and the number key of a row. Only nine rows have a number. */
export function optionStart(
  index: number,
  { isSelected, glyphs }: { readonly isSelected: boolean; readonly glyphs: Glyphs },
): string {
  return `${isSelected ? glyphs.pointer : " "} ${index < 9 ? index + 1 : " "}  `;
}

type Option = QuestionShape["options"][number];

function indentOf({ isMultiple }: QuestionShape): number {
  return NUMBER_COLUMNS + (isMultiple ? MARK_COLUMNS : 0);
}

function labelRows({ label }: Option, columns: number): readonly string[] {
  return wrapText(visibleLabel(label), columns);
}

function descriptionRowsOf({ description = "" }: Option, columns: number): readonly string[] {
  return description.trim() === "" ? [] : wrapText(visibleLabel(description), columns);
}

/** At most so many rows: what is left over is cut at the end of the last one. */
function cutRows(
  rows: readonly string[],
  { most, columns }: { readonly most: number; readonly columns: number },
): readonly string[] {
  if (rows.length <= most) return rows;
  return [...rows.slice(0, most - 1), safeLine(rows.slice(most - 1).join(" "), columns)];
}
