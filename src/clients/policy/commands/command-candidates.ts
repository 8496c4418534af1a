import { WRAPPER_PROGRAMS } from "../programs/wrapper-programs.ts";
import { programName, RESERVED_WORDS } from "../shell/simple-command.ts";
import { splitCommandLine } from "../shell/split-command-line.ts";

/**
 * What may stand in front of a command's name, blanks collapsed: words of the shell, and programs that run what follows,
 * with the number of operands that stand in front of that.
 */
const PREFIX_WORDS: ReadonlyMap<string, number> = new Map([
  ...[...RESERVED_WORDS, "eval"].map((word) => [word, 0] as const),
  ...WRAPPER_PROGRAMS.flatMap(({ names, wrapper }) =>
    // Of a program without a description one operand: `chroot . rm x`.
    names.map((name) => [name, wrapper === undefined ? 1 : (wrapper.operands ?? 0)] as const),
  ),
]);

/** … assignments, and redirections. */
const PREFIX_SETTING = /^(?:[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=\S*|(?:[\d&]*|\{\w+\})[<>]+\|? ?\S+) /;

/** What a program that runs another one is told first. */
const PREFIX_OPTION = /^(?:-\S*|[\d.]+[smhd]?) /;

/** So many of them are taken away, so that a line of nothing else costs no time. */
const MAX_PREFIXES = 20;

/**
 * Every text within the line that could be a command, however it is nested: the strict counterpart of
 * {@link splitCommandLine}, for rules that forbid. Blanks are collapsed. Each text is there as it stands, without its
 * quotes and backslashes, and without what stands in front of the command's name: assignments, redirections, words such
 * as `then`, and programs such as `sudo` with their options. For lines within the bound of `splitCommandLine`.
 *
 * These are texts and no more. What a command does otherwise stays out of reach: `/bin/rm`, `git -C . push`,
 * `rm${IFS}-rf`, an alias, a script.
 */
export function commandCandidates(line: string): readonly string[] {
  const texts = [...new Set([line, joinLines(line)])].flatMap((version) => [
    version,
    ...splitCommandLine(version.replaceAll("\r", "\n")).parts,
    ...version.split(/[;&|\n\r`(){}<>"']|\$\(/),
    ...version.split(/ -(?:exec|ok)(?:dir)? /), // of `find`
  ]);
  const collapsed = new Set([...texts, ...texts.map(unquote)].map(collapseBlanks));
  return [...new Set([...collapsed].flatMap(withoutPrefixes))].filter((text) => text !== "");
}

/** The line as it may be read as a whole, with and without its quotes: every candidate is a part of one of these. */
export function lineReadings(line: string): readonly string[] {
  return [line, joinLines(line)].flatMap((version) => [version, unquote(version)]);
}

/** Without backslashes at the ends of lines, and without redirections from one number to another. */
function joinLines(line: string): string {
  const joined = line.replace(/\\\r?\n/g, "");
  let text = "";
  let end = 0;
  for (const { 0: redirection, index } of joined.matchAll(/[<>]&[\d-]+/g)) {
    let start = index;
    while (start > end && /\d/.test(joined.charAt(start - 1))) start--;
    text += `${joined.slice(end, start)} `;
    end = index + redirection.length;
  }
  return text + joined.slice(end);
}

function unquote(text: string): string {
  return text.replace(/\$(?=["'])|["'\\]/g, "");
}

/** One blank for each run of them, and none at the ends. */
export function collapseBlanks(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

/** The text itself, and what is left of it after each of its prefixes. */
function withoutPrefixes(text: string): readonly string[] {
  const forms = [text];
  let rest = text;
  let isOption = false;
  let operands = 0;
  for (let count = 0; count < MAX_PREFIXES; count++) {
    const word = /^\S+ /.exec(rest)?.[0] ?? "";
    const taking = PREFIX_WORDS.get(programName(word.trimEnd()));
    const prefix = taking === undefined ? PREFIX_SETTING.exec(rest)?.[0] : word;
    const option = count > 0 && prefix === undefined ? PREFIX_OPTION.exec(rest)?.[0] : undefined;
    // An option may have an argument: `sudo -u root rm`.
    const taken = prefix ?? option ?? (isOption || operands > 0 ? word : "");
    if (taken === "") break;
    if (taking !== undefined) operands = taking;
    else if (prefix === undefined && option === undefined && !isOption) operands--;
    isOption = option !== undefined;
    rest = rest.slice(taken.length);
    forms.push(rest);
  }
  return forms;
}
