import type { Glyphs } from "../theme/glyphs.ts";
import { type ClippedText, clipText } from "./clip-text.ts";
import { tameParagraph } from "./tame-paragraph.ts";

/** The start or the end of a code block. Three backticks with others after them in the line are code in a text. */
const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;

/** The box of a task. */
const BOX = /^(\s*(?:>\s?)*(?:[-*+]|\d{1,9}[.)])\s+)\[([ xX])\]\s+/;

/** A link whose text is not its target. */
const LINK = /(?<!!)\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)/g;

/** How Markdown is shown. */
export interface MarkdownOptions {
  readonly maxLines: number;
  readonly maxCharacters: number;
  /** Whether the terminal shows the text of a link only, which can say something else than its target. */
  readonly hidesTargets: boolean;
  readonly glyphs: Pick<Glyphs, "checked" | "unchecked">;
}

/**
 * Markdown for the terminal: safe, with the target of each link in sight, and only its end when it is long, because that is
 * what streams. A code block whose start is left out is still a code block. A paragraph that would stop the screen, because
 * its links or emphasis take minutes to parse, is shown as it was written.
 */
export function prepareMarkdown(text: string, options: MarkdownOptions): ClippedText {
  const { maxLines, maxCharacters, hidesTargets, glyphs } = options;
  const { lines, hidden } = clipText(text, { maxLines, maxCharacters, keep: "end", inSteps: true });
  const fence = hidden === undefined ? undefined : openFence(text.slice(0, text.length - lines.join("\n").length));
  const whole = tameParagraphs(fence === undefined ? lines : [fence, ...lines]);
  return {
    lines: mapOutsideCode(whole, (line) => {
      const boxed = drawBox(line, glyphs);
      return hidesTargets ? spellTargets(boxed) : boxed;
    }),
    hidden,
  };
}

/** The fence of the code block that is open at the end of a text. */
function openFence(text: string): string | undefined {
  return text.split("\n").reduce<string | undefined>((open, line) => nextFence(open, line), undefined);
}

/** The fence that is open after a line. */
export function nextFence(open: string | undefined, line: string): string | undefined {
  const mark = FENCE.exec(line)?.[1];
  if (open === undefined) return mark;
  return mark?.startsWith(open) === true && line.trim() === mark ? undefined : open;
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

/** The lines, of which those outside of code blocks are changed. */
function mapOutsideCode(lines: readonly string[], change: (line: string) => string): readonly string[] {
  let fence: string | undefined;
  return lines.map((line) => {
    const before = fence;
    fence = nextFence(fence, line);
    return before !== undefined || fence !== undefined ? line : change(line);
  });
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

/** Writes the targets of a line's links after them. */
function spellTargets(line: string): string {
  // Every second part is between backticks.
  const parts = line.split("`");
  return parts.map((part, index) => (index % 2 === 1 ? part : part.replace(LINK, spellTarget))).join("`");
}

function spellTarget(link: string, label: string, target: string): string {
  return label === target ? link : `${link} (${target})`;
}
