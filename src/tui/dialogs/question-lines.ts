import { safeLine, visibleLabel } from "../../view/index.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import type { QuestionShape, QuestionState } from "./question-state.ts";
import { wrapText } from "./wrap-text.ts";

/** A line of the options of a question. */
export interface OptionLine {
  /** The option's place. */
  readonly index: number;
  readonly text: string;
  readonly isDescription: boolean;
}

/** Columns of the pointer and the number before an option. */
const NUMBER_COLUMNS = 5;
const MARK_COLUMNS = 2;

/** The options: each label wrapped under its number, with one line of its description. */
export function optionLines(
  shape: QuestionShape,
  { state, columns, glyphs }: { readonly state: QuestionState; readonly columns: number; readonly glyphs: Glyphs },
): readonly OptionLine[] {
  const indent = NUMBER_COLUMNS + (shape.isMultiple ? MARK_COLUMNS : 0);
  return shape.options.flatMap(({ label, description }, index) => {
    const start = `${optionStart(index, { isSelected: state.index === index, glyphs })}${
      shape.isMultiple ? `${state.chosen.includes(index) ? glyphs.chosen : glyphs.unchosen} ` : ""
    }`;
    const labels = wrapText(visibleLabel(label), columns - indent).map((text, line) => ({
      index,
      text: `${line === 0 ? start : " ".repeat(indent)}${text}`,
      isDescription: false,
    }));
    if (description === undefined || description.trim() === "") return labels;
    const text = `${" ".repeat(indent)}${safeLine(visibleLabel(description), columns - indent)}`;
    return [...labels, { index, text, isDescription: true }];
  });
}

/** The pointer and the number key of a row. Only nine rows have a number. */
export function optionStart(
  index: number,
  { isSelected, glyphs }: { readonly isSelected: boolean; readonly glyphs: Glyphs },
): string {
  return `${isSelected ? glyphs.pointer : " "} ${index < 9 ? index + 1 : " "}  `;
}
