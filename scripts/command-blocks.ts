/** A code block of a document in which a reader finds commands. */
export interface CommandBlock {
  /** The line of the document at which it starts, from 1. */
  readonly line: number;
  /** The text of the comment before it, if there is one: `run` marks a block whose output another test compares. */
  readonly marker: string | undefined;
  /** One for each command, without prompts and comments; a command that is continued on the next line is one. */
  readonly commands: readonly string[];
}

/** A file whose contents a document shows. */
export interface ShownFile {
  /** The line of the document at which its block starts, from 1. */
  readonly line: number;
  /** Relative to the project. */
  readonly path: string;
  readonly text: string;
}

/** A code block of a document. */
export interface Fence {
  readonly line: number;
  /** What follows the opening backquotes: `sh`, `ts`, or nothing. */
  readonly language: string;
  readonly marker: string | undefined;
  readonly text: string;
}

const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "shell", "console"]);

/** The path of a file in the first line of a block: `// .atomic/tools/lines.ts`. */
const PATH_COMMENT = /^(?:\/\/|#) (\.?[\w-]+(?:\/[\w.-]+)+\.\w+)$/;

/** The code blocks of a Markdown document, from start to end. Blocks in lists are included, without their indentation. */
export function readFences(document: string): readonly Fence[] {
  const blocks = document.matchAll(/^(?:<!-- (.+) -->\n)?( *)```(\w*)\n([\s\S]*?)^\2```$/gm);
  return [...blocks].map(({ index, 1: marker, 2: indent = "", 3: language = "", 4: text = "" }) => ({
    line: document.slice(0, index).split("\n").length + (marker === undefined ? 0 : 1),
    language,
    marker,
    text: indent === "" ? text : text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}

/** The blocks of a document that have commands for a shell. */
export function readCommandBlocks(document: string): readonly CommandBlock[] {
  return readFences(document).flatMap(({ line, language, marker, text }) =>
    SHELLS.has(language) ? [{ line, marker, commands: readCommands(text, language === "console") }] : [],
  );
}

/** The files that a document shows: a comment before the block, or the first line in it, has the path. */
export function readShownFiles(document: string): readonly ShownFile[] {
  return readFences(document).flatMap(({ line, marker = "", text }) => {
    const path = /^(?:file|script): (\S+)$/.exec(marker)?.[1] ?? PATH_COMMENT.exec(text.split("\n")[0] ?? "")?.[1];
    return path === undefined ? [] : [{ line, path, text }];
  });
}

/** @param hasPrompts whether commands follow the prompt `❯ `, and other lines are output */
function readCommands(text: string, hasPrompts: boolean): readonly string[] {
  const commands: string[] = [];
  let isContinued = false;
  for (const line of text.split("\n")) {
    if (!isContinued && hasPrompts && !line.startsWith("❯ ")) continue;
    const part = withoutComment(isContinued || !hasPrompts ? line : line.slice(2)).trim();
    if (part === "") continue;
    const whole: string = isContinued ? `${commands.pop() ?? ""} ${part}` : part;
    isContinued = whole.endsWith("\\");
    commands.push(isContinued ? whole.slice(0, -1).trimEnd() : whole);
  }
  return commands;
}

/** A comment begins with `#` after a space or at the start of a line, outside of quotes. */
function withoutComment(line: string): string {
  let quote = "";
  for (const [index, character] of [...line].entries()) {
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === "'" || character === '"') quote = character;
    else if (character === "#" && /^$|\s/.test(line[index - 1] ?? "")) return line.slice(0, index);
  }
  return line;
}
