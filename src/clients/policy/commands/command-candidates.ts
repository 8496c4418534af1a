import { WRAPPER_PROGRAMS } from "../programs/wrapper-programs.ts";
import { programName, RESERVED_WORDS } from "../shell/simple-command.ts";
import { splitCommandLine } from "../shell/split-command-line.ts";

/**
 * What can precede a command's name, with blanks collapsed: words of the shell, and programs that run the command after
 * them, with the number of their operands before that command.
 */
const PREFIX_WORDS: ReadonlyMap<string, number> = new Map([
  ...[...RESERVED_WORDS, "eval"].map((word) => [word, 0] as const),
  ...WRAPPER_PROGRAMS.flatMap(({ names, wrapper }) =>
    // A program without a description has one operand: `chroot . rm x`.
    names.map((name) => [name, wrapper === undefined ? 1 : (wrapper.operands ?? 0)] as const),
  ),
]);

/** Assignments and redirections. */
const PREFIX_SETTING = /^(?:[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=\S*|(?:[\d&]*|\{\w+\})[<>]+\|? ?\S+) /;

/** Options and durations that a wrapper program takes before its command. */
const PREFIX_OPTION = /^(?:-\S*|[\d.]+[smhd]?) /;

/** At most this many prefixes are removed, which limits the time for a line of nothing but prefixes. */
const MAX_PREFIXES = 20;

/**
 * Every text in the line that could be a command, however it is nested: the strict counterpart of
 * {@link splitCommandLine}, for `deny` and `ask` rules. Blanks are collapsed. Each text appears as written, without quotes
 * and backslashes, and without the prefixes of the command's name: assignments, redirections, words such as `then`, and
 * programs such as `sudo` with their options. For lines that are no longer than `splitCommandLine` allows.
 *
 * Compares texts only. It does not find the effect of `/bin/rm`, `git -C . push`, `rm${IFS}-rf`, an alias or a script.
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

/** The line in each reading, with and without its quotes. Every candidate is a part of one of these. */
export function lineReadings(line: string): readonly string[] {
  return [line, joinLines(line)].flatMap((version) => [version, unquote(version)]);
}

/** Without backslashes at line ends, and without redirections between file descriptors. */
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

/** Collapses runs of blanks and removes those at the ends. */
export function collapseBlanks(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

/** The text itself, and the rest after each of its prefixes. */
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
