import { safeText } from "../../view/index.ts";
import { wrapColumns } from "../transcript/transcript-line.ts";

/** The longest text that is shown, in characters: the end of a longer one. */
const MAX_LENGTH = 200_000;

/** The lines of a long text in a width, safe for a terminal. */
export function textRows(text: string, columns: number): readonly string[] {
  return safeText(text.slice(-MAX_LENGTH))
    .split("\n")
    .flatMap((line) => wrapColumns(line.replaceAll("\t", "  "), columns));
}
