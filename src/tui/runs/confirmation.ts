import { columnsOf, safeLine } from "../../view/index.ts";
import { wrapText } from "../dialogs/wrap-text.ts";
import type { RunVisit } from "./run-model.ts";

/** What a person must confirm. */
export type Confirmation =
  /** `isFatal`: the run fails with the step. */
  | { readonly type: "cancel"; readonly visit: RunVisit | undefined; readonly isFatal?: boolean }
  | { readonly type: "skip" | "retry"; readonly visit: RunVisit };

/** The longest name of a step in a question, in columns. */
const NAME_COLUMNS = 60;

/** A step with the branch that it is in, as its row names it. */
export function nameOfVisit({ item, name }: RunVisit): string {
  return safeLine(item === undefined || item === name ? name : `${item} ${name}`, NAME_COLUMNS);
}

/** The question of a confirmation and its answers: in one line where they fit, or else below each other. */
export function confirmationRows(confirmation: Confirmation, columns: number): readonly string[] {
  const { question, answers } = describe(confirmation);
  const line = `${question}  ${answers}`;
  return columnsOf(line) <= columns ? [line] : [question, answers].flatMap((text) => wrapText(text, columns));
}

function describe(confirmation: Confirmation): { readonly question: string; readonly answers: string } {
  const { type, visit } = confirmation;
  if (visit === undefined) return { question: "Cancel the run? It can be resumed.", answers: "y cancel it · n no" };
  const name = `"${nameOfVisit(visit)}"`;
  if (type !== "cancel") {
    return { question: `${type === "skip" ? "Skip" : "Retry"} ${name}?`, answers: `y ${type} it · n no` };
  }
  const warning = confirmation.isFatal === true ? " The run fails with it." : "";
  return { question: `Cancel ${name}?${warning}`, answers: "y this step · a the whole run · n no" };
}
