import { FINAL_COMMAND } from "./format-text.ts";

/** The narrowest column that a line continues in; a narrower one begins below the line's own start, in columns. */
const MIN_CONTINUED_COLUMNS = 20;

/** How much further than its start a line without columns continues. */
const HANGING_INDENT = 2;

/** A line that is a command alone, or JSON. */
const WHOLE = /^\s*(?:\$ |atomic (?!.* {2}\S)|[[{}\]"])/;

/** A word with the white space before it. */
const WORD = /\s*\S+/g;

/**
 * Breaks the lines that a command prints between words, where the columns end. A line continues below the last of its columns, which two or
 * more spaces separate, and one without columns two further than it starts. Longer words stay whole, and so do lines that are
 * commands, and commands at the end of a line.
 */
export function wrapOutput(text: string, columns: number): string {
  return text
    .split("\n")
    .map((line) =>
      Bun.stringWidth(line) <= columns || WHOLE.test(line) || isDrawn(line) ? line : wrapLine(line, columns),
    )
    .join("\n");
}

/** Whether a line moves the cursor. */
function isDrawn(line: string): boolean {
  const [, ...sequences] = line.split("\u001b");
  return line.includes("\r") || sequences.some((sequence) => !/^\[[\d;]*m/.test(sequence));
}

function wrapLine(line: string, columns: number): string {
  const { length, hanging } = startOf(line, columns);
  const start = line.slice(0, length);
  const lines: string[] = [];
  let current = start;
  let isEmpty = true;
  for (const [word] of wordsOf(line.slice(length))) {
    const bare = word.trimStart();
    const next = isEmpty && lines.length === 0 ? current + word : current + (isEmpty ? bare : word);
    if (isEmpty || Bun.stringWidth(next) <= columns) current = next;
    else {
      lines.push(current);
      current = " ".repeat(hanging) + bare;
    }
    isEmpty = false;
  }
  return [...lines, current].join("\n");
}

function wordsOf(text: string): readonly RegExpMatchArray[] {
  const command = FINAL_COMMAND.exec(text)?.[0];
  if (command === undefined) return [...text.matchAll(WORD)];
  const before = text.slice(0, -command.length);
  const gap = /\s*$/.exec(before)?.[0] ?? "";
  return [...before.slice(0, before.length - gap.length).matchAll(WORD), [`${gap}${command}`]];
}

/** What stays before the words that are wrapped, and where the next lines begin, in columns. */
function startOf(line: string, columns: number): { readonly length: number; readonly hanging: number } {
  const indent = /^\s*/.exec(line)?.[0].length ?? 0;
  for (const { index, 0: gap } of [...line.matchAll(/(?<=\S) {2,}(?=\S)/g)].reverse()) {
    const length = index + gap.length;
    const hanging = Bun.stringWidth(line.slice(0, length));
    const longest = Math.max(...wordsOf(line.slice(length)).map(([word]) => Bun.stringWidth(word.trim())));
    if (hanging <= columns - Math.max(MIN_CONTINUED_COLUMNS, longest)) return { length, hanging };
  }
  return { length: indent, hanging: indent + HANGING_INDENT };
}
