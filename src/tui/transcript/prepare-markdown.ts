import type { Glyphs } from "../theme/glyphs.ts";
import { type ClippedText, clipText } from "./clip-text.ts";
import { nextFence } from "./next-fence.ts";
import { OpenFences } from "./open-fences.ts";
import { mapOutsideCode, spellLinks } from "./spell-links.ts";
import { tameParagraph } from "./tame-paragraph.ts";

/** The box of a task. */
const BOX = /^(\s*(?:>\s?)*(?:[-*+]|\d{1,9}[.)])\s+)\[([ xX])\]\s+/;

/** How Markdown is shown. */
export interface MarkdownOptions {
  readonly maxLines: number;
  readonly maxCharacters: number;
  readonly glyphs: Pick<Glyphs, "checked" | "unchecked">;
}

/**
 * Markdown for the terminal: safe, with the target of each link in sight, and only its end when it is long, because that is
 * what streams. A code block whose start is left out is still a code block. A paragraph that would stop the screen, because
 * its links or emphasis take minutes to parse, is shown as it was written.
 */
export function prepareMarkdown(
  text: string,
  options: MarkdownOptions,
  fences: OpenFences = new OpenFences(),
): Pick<ClippedText, "lines" | "hidden"> {
  const { maxLines, maxCharacters, glyphs } = options;
  const { lines, hidden, start } = clipText(text, { maxLines, maxCharacters, keep: "end", inSteps: true });
  const fence = hidden === undefined ? undefined : fences.before(text, start);
  const whole = tameParagraphs(fence === undefined ? lines : [fence, ...lines]);
  return { lines: spellLinks(mapOutsideCode(whole, (line) => drawBox(line, glyphs))), hidden };
}

function tameParagraphs(lines: readonly string[]): readonly string[] {
  const result: string[] = [];
  let paragraph: string[] = [];
  let fence: string | undefined;
  const end = (): void => {
    result.push(...tameParagraph(paragraph));
    paragraph = [];
  };
  for (const line of lines) {
    const before = fence;
    fence = nextFence(fence, line);
    const isText = before === undefined && fence === undefined && line.trim() !== "";
    if (isText) paragraph.push(line);
    else {
      end();
      result.push(line);
    }
  }
  end();
  return result;
}

/**
 * OpenTUI leaves out the boxes of tasks. After a space that does not break, it draws one as the text that it is; brackets
 * would be those of a link, except in code.
 */
function drawBox(line: string, { checked, unchecked }: MarkdownOptions["glyphs"]): string {
  return line.replace(BOX, (_, start: string, sign: string) => {
    const box = sign === " " ? unchecked : checked;
    return `${start}${box.startsWith("[") ? `\`${box}\`` : box}\u00a0`;
  });
}
