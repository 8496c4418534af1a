import { readFences } from "./command-blocks.ts";

/** A call of `atomic` in a sentence or a table of a document. */
export interface InlineCommand {
  /** The line of the document, from 1. */
  readonly line: number;
  /** As the document has it. */
  readonly text: string;
  /** The words after `atomic`: several calls where the document has alternatives, such as `pause|cancel`. */
  readonly calls: readonly (readonly string[])[];
}

/** The calls of `atomic` in the inline code of a Markdown document, from start to end. */
export function readInlineCommands(document: string): readonly InlineCommand[] {
  const prose = withoutFences(document);
  return [...prose.matchAll(/(?<!`)(`+)(?!`)([^`]+)\1(?!`)/g)].flatMap(({ index, 2: code = "" }) => {
    const text = code
      .replaceAll(/\s*\n\s*/g, " ")
      .replaceAll("\\|", "|")
      .trim();
    const calls = splitPipeline(text).flatMap((words) => callsOf(words));
    return calls.length === 0 ? [] : [{ line: prose.slice(0, index).split("\n").length, text, calls }];
  });
}

/** The document with empty lines for its code blocks. */
function withoutFences(document: string): string {
  const lines = document.split("\n");
  for (const { line, text } of readFences(document)) {
    const end = line + text.split("\n").length;
    for (let index = line - 1; index < end; index++) lines[index] = "";
  }
  return lines.join("\n");
}

/** The words of each command of a shell's line, without quotes. What follows a redirection is not read. */
function splitPipeline(line: string): readonly (readonly string[])[] {
  const words = [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word);
  const commands: string[][] = [[]];
  let isRedirected = false;
  for (const word of words) {
    if (["|", "&&", "||", ";"].includes(word)) {
      commands.push([]);
      isRedirected = false;
    } else if (/^\d?>/.test(word)) isRedirected = true;
    else if (!isRedirected) commands.at(-1)?.push(word);
  }
  return commands;
}

/** The calls of one command, if it is `atomic`: after variables, and without the brackets of what may be left out. */
function callsOf(command: readonly string[]): readonly (readonly string[])[] {
  const start = command.findIndex((word) => !/^\w+=/.test(word));
  if (command[start] !== "atomic") return [];
  const named = command.slice(start + 1).filter((word) => word !== "…");
  const words = named.map((word) => (/^\[.*\]$/.test(word) ? word.slice(1, -1) : word));
  return words.reduce<readonly (readonly string[])[]>(
    (calls, word) => calls.flatMap((call) => alternativesOf(word).map((choice) => [...call, choice])),
    [[]],
  );
}

function alternativesOf(word: string): readonly string[] {
  if (/["']/.test(word)) return [word.replaceAll(/["']/g, "")];
  return word.split("|");
}
