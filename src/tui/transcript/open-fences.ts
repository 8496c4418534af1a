import { safeText } from "../../view/index.ts";
import { nextFence } from "./next-fence.ts";

/** How much of the end of what was read is compared, to know the text again, in UTF-16 units. */
const COMPARED = 64;

/** Finds the code block that is open at a place of a text. Of a text that grows, it reads each part once. */
export class OpenFences {
  #read = 0;
  #end = "";
  #fence: string | undefined;

  /** The fence of the code block that is open before a place. */
  before(text: string, place: number): string | undefined {
    const isKnown = this.#read <= place && text.startsWith(this.#end, this.#read - this.#end.length);
    if (!isKnown) {
      this.#read = 0;
      this.#fence = undefined;
    }
    const part = text.slice(this.#read, place);
    // A line that is read in two parts is half a fence at the most: places are starts of lines, except in a line without an end.
    if (part !== "")
      this.#fence = safeText(part)
        .split("\n")
        .reduce((open, line) => nextFence(open, line), this.#fence);
    this.#read = place;
    this.#end = text.slice(Math.max(0, place - COMPARED), place);
    return this.#fence;
  }
}
