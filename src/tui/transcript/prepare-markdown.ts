import { type ClippedText, clipText } from "./clip-text.ts";
import { tameParagraph } from "./tame-paragraph.ts";

const FENCE = /^\s*(`{3,}|~{3,})/;

/** A link whose text is not its target. */
const LINK = /(?<!!)\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)/g;

/** How Markdown is shown. */
export interface MarkdownOptions {
  readonly maxLines: number;
  readonly maxCharacters: number;
  /** Whether the terminal shows the text of a link only, which can say something else than its target. */
  readonly hidesTargets: boolean;
}

/**
 * Markdown for the terminal: safe, with the target of each link in sight, and only its end when it is long, because that is
 * what streams. A code block whose start is left out is still a code block. A paragraph that would stop the screen, because
 * its links or emphasis take minutes to parse, is shown as it was written.
 */
export function prepareMarkdown(text: string, { maxLines, maxCharacters, hidesTargets }: MarkdownOptions): ClippedText {
  const { lines, hidden } = clipText(text, { maxLines, maxCharacters, keep: "end" });
  const fence = hidden === undefined ? undefined : openFence(text.slice(0, text.length - lines.join("\n").length));
  const whole = tameParagraphs(fence === undefined ? lines : [fence, ...lines]);
  return { lines: hidesTargets ? spellTargets(whole) : whole, hidden };
}

/** The fence of the code block that is open at the end of a text. */
function openFence(text: string): string | undefined {
  return text.split("\n").reduce<string | undefined>((open, line) => nextFence(open, line), undefined);
}

/** The open fence after a line. */
function nextFence(open: string | undefined, line: string): string | undefined {
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

/** Writes the targets of links after them, outside of code. */
function spellTargets(lines: readonly string[]): readonly string[] {
  let fence: string | undefined;
  return lines.map((line) => {
    const before = fence;
    fence = nextFence(fence, line);
    if (before !== undefined || fence !== undefined) return line;
    // Every second part is between backticks.
    const parts = line.split("`");
    return parts.map((part, index) => (index % 2 === 1 ? part : part.replace(LINK, spellTarget))).join("`");
  });
}

function spellTarget(link: string, label: string, target: string): string {
  return label === target ? link : `${link} (${target})`;
}
