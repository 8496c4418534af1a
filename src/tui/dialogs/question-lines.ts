import { safeLine, visibleLabel } from "../../view/index.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import type { QuestionShape, QuestionState } from "./question-state.ts";
import { wrapText } from "./wrap-text.ts";

/** A line of the options of a question. */
export interface OptionLine {
  /** The option's place. */
  readonly index: number;
  /** The same for a part of an option wherever the pointer is: a line of its label or of its description. */
  readonly id: string;
  readonly text: string;
  readonly isDescription: boolean;
}

/** Settings of {@link optionLines}. */
export interface OptionLinesOptions {
  readonly state: QuestionState;
  readonly columns: number;
  readonly glyphs: Glyphs;
  /** Whether all descriptions are whole, and not only that of the option under the pointer. @default false */
  readonly areWhole?: boolean;
}

/** Columns of the pointer and the number before an option. */
const NUMBER_COLUMNS = 5;
const MARK_COLUMNS = 2;

/** The options: each label wrapped under its number, with its description, or one line of it where it is cut. */
export function optionLines(
  shape: QuestionShape,
  { state, columns, glyphs, areWhole = false }: OptionLinesOptions,
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
    const rows = descriptionRows(option, columns - indent);
    const isCut = rows.length > 1 && !isSelected && !areWhole;
    // What is cut has another id than a part of the description: it is not seen.
    const descriptions = isCut ? [{ id: "cut", text: safeLine(rows.join(" "), columns - indent) }] : withIds(rows);
    return [
      ...labels,
      ...descriptions.map(({ id, text }) => ({
        ...{ index, id: `${index} description ${id}`, isDescription: true },
        text: `${" ".repeat(indent)}${text}`,
      })),
    ];
  });
}

function withIds(rows: readonly string[]) {
  return rows.map((text, line) => ({ id: String(line), text }));
}

/** The rows of the highest option, with its whole description. */
export function highestOption(shape: QuestionShape, columns: number): number {
  const room = columns - indentOf(shape);
  return Math.max(
    0,
    ...shape.options.map((option) => labelRows(option, room).length + descriptionRows(option, room).length),
  );
}

/** How many rows the longest description needs. */
export function longestDescription(shape: QuestionShape, columns: number): number {
  return Math.max(0, ...shape.options.map((option) => descriptionRows(option, columns - indentOf(shape)).length));
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

function descriptionRows({ description = "" }: Option, columns: number): readonly string[] {
  return description.trim() === "" ? [] : wrapText(visibleLabel(description), columns);
}
