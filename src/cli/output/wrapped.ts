import { wrapOutput } from "../../view/index.ts";
import type { TextOutput } from "../environment.ts";

/** An output that breaks long lines between words in a terminal, and leaves them whole in a pipe. Texts end with their line. */
export function wrapped(output: TextOutput): TextOutput {
  return {
    ...{ isTTY: output.isTTY, stream: output.stream },
    get columns() {
      return output.columns;
    },
    write: (text) => output.write(output.isTTY ? wrapOutput(text, output.columns) : text),
  };
}
