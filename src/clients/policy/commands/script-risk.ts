import { isHarmlessSedScript } from "../shell/sed-script.ts";
import type { ShellWord } from "../shell/shell-line.ts";
import { isStatusParameter } from "../shell/simple-command.ts";

/** An argument that is, or may be, evaluated. */
export interface ScriptRisk {
  readonly word: ShellWord;
  /** A clause, for people. */
  readonly reason: string;
}

/** Languages that arguments of programs are written in. */
export type ScriptLanguage = "sed" | "awk" | "test" | "printf";

/** The first argument that is not harmless in the language that the program interprets; undefined when all are. Pure. */
export function scriptRisk(language: ScriptLanguage, words: readonly ShellWord[]): ScriptRisk | undefined {
  switch (language) {
    case "sed":
      return sedRisk(words);
    case "awk":
      return awkRisk(words);
    case "test":
      return testRisk(words);
    case "printf":
      return printfRisk(words);
  }
}

/** The backup suffix of `-i`: with other characters it is a path, and `*` inserts the name. */
const SED_SUFFIX = /^-(?:[A-HJ-Za-hj-z]*[iI]|-i[a-z-]*=)[\w.~+-]*[^\w.~+-]/;

/** Scripts follow `-e`. Without it the first operand is one, and with BSD's empty suffix (`-i ''`) the second, too. */
function sedRisk(words: readonly ShellWord[]): ScriptRisk | undefined {
  const reason = "its commands e and w run programs and write files, and not all commands here are known to be others";
  const isBad = (word: ShellWord, text = word.value) => !word.isLiteral || !isHarmlessSedScript(text);
  const end = words.findIndex(({ value }) => value === "--");
  const options = end < 0 ? words : words.slice(0, end);
  // In `-i…e`, the e may belong to the suffix of -i.
  // A number may follow -l, so it is unclear which operand is the script.
  const hasLength = options.some(({ value }) => /^-[A-Za-z]*l$|^--l/.test(value));
  let isScript = !options.some(({ value }) => /^(?:-[EnrszuN]*e|--e)/.test(value));
  for (const [index, word] of words.entries()) {
    const { value } = word;
    const before = words[index - 1]?.value ?? "";
    if (SED_SUFFIX.test(value)) return { word, reason: "the name of the backup can be that of any file" };
    if (/^(?:-[EnrszuilN]*e|--e[a-z]*)$/.test(before)) {
      if (isBad(word)) return { word, reason };
    } else if (value.startsWith("-") && value.length > 1) {
      const glued = /^(?:-[EnrszuN]*e|--e[a-z]*=)/.exec(value)?.[0];
      if (glued !== undefined && glued.length < value.length && isBad(word, value.slice(glued.length))) {
        return { word, reason };
      }
      if (/^-[A-Za-z]*[^EnrszueN0-9-][A-Za-z]*e/.test(value) && !value.startsWith("-i")) return { word, reason };
    } else if (isScript) {
      if (isBad(word)) return { word, reason };
      isScript = value === "" || hasLength;
    }
  }
  return undefined;
}

/** Only files follow a literal program; an unquoted variable could still be an option. */
function isLaterFile(index: number, program: number, mayDivide: boolean): boolean {
  return program >= 0 && index > program && !mayDivide;
}

/** A pattern between slashes at the start, where a bar is not a pipe. */
const AWK_PATTERN = /^\s*\/(?:[^/"{}\\]|\\.)*\/\s*(?=\{|$)/;

/** A comparison in parentheses, where `>` is not a redirection. Contains no delimiter of a text or a pattern. */
const AWK_COMPARISON = /\([^()"/#{}\\\n;]*\)/g;

/** Whether a word is certainly the value of this option: the option is not itself the value of one before it. */
function isValueOf(option: string, words: readonly ShellWord[], index: number): boolean {
  const [word, before] = [words[index - 1], words[index - 2]];
  return word?.isLiteral === true && word.value === option && before?.value.startsWith("-") !== true;
}

function awkRisk(words: readonly ShellWord[]): ScriptRisk | undefined {
  const reason = "the script may run programs or write files (system, getline, |, >, @)";
  const program = words.findIndex(({ value, isLiteral }, index) => {
    const before = words[index - 1]?.value ?? "";
    return isLiteral && !value.startsWith("-") && !/^-(?![Fv].)/.test(before);
  });
  const end = words.findIndex(({ value }) => value === "--");
  const word = words.find(({ value, isLiteral, mayDivide, literalLength }, index) => {
    const isOption = end < 0 || index < end;
    if (isLiteral && isOption && (/^-F./.test(value) || isValueOf("-F", words, index))) return false;
    if (!isLiteral && (program < 0 || index < program || mayDivide || literalLength === 0)) {
      // Anywhere else before the program, an assignment is the program itself.
      const isAssignment = !mayDivide && isValueOf("-v", words, index) && /^[A-Za-z_]\w*=[^{}"]*$/.test(value);
      return !isLaterFile(index, program, mayDivide) && !isAssignment;
    }
    const rest = value.replace(AWK_PATTERN, "").replaceAll("||", "").replace(AWK_COMPARISON, "");
    const output = rest.indexOf("print");
    return /system|getline|@|\|/.test(rest) || (output >= 0 && rest.includes(">", output));
  });
  return word === undefined ? undefined : { word, reason };
}

const NUMERIC_TESTS = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);
const TEXT_TESTS = new Set(["=", "==", "!=", "-nt", "-ot", "-ef"]);
const FILE_TESTS = new Set("-n -z -a -e -f -d -r -w -x -s -L -h -p -S -b -c -g -u -k -G -O -N".split(" "));
const INTEGER = /^[-+]?\d+$/;

function testRisk(words: readonly ShellWord[]): ScriptRisk | undefined {
  const reason = "shells evaluate the operands of -v and of comparisons of numbers";
  const operands = words.at(-1)?.value === "]" ? words.slice(0, -1) : words;
  const inner = operands[0]?.value === "!" ? operands.slice(1) : operands;
  for (const [index, word] of inner.entries()) {
    const before = inner[index - 1]?.value ?? "";
    const after = inner[index + 1]?.value ?? "";
    const isInteger = (word.isLiteral && INTEGER.test(word.value)) || isStatusParameter(word);
    const isNumeric = NUMERIC_TESTS.has(before) || NUMERIC_TESTS.has(after) || before === "-t";
    if (isNumeric && !isInteger && !NUMERIC_TESTS.has(word.value)) return { word, reason };
    if ((before === "-v" || before === "-R") && !(word.isLiteral && /^[A-Za-z_]\w*$/.test(word.value))) {
      return { word, reason };
    }
    if (word.isLiteral || isInteger) continue;
    const isText = inner.length === 3 && (TEXT_TESTS.has(before) || TEXT_TESTS.has(after));
    const isFile = inner.length === 2 && FILE_TESTS.has(before);
    const isQuoted = !word.mayDivide && /^"[^"]*"$/.test(word.raw);
    if (!isQuoted || !(isText || isFile || inner.length === 1)) return { word, reason };
  }
  return undefined;
}

function printfRisk(words: readonly ShellWord[]): ScriptRisk | undefined {
  const [format, ...values] = words[0]?.value === "--" ? words.slice(1) : words;
  if (format === undefined) return undefined;
  const isPlain = format.isLiteral && !format.value.startsWith("-");
  if (!isPlain) return { word: format, reason: "it can set a variable by any name (-v)" };
  const conversions = format.value.replaceAll("%%", "").match(/%[^%A-Za-z]*[A-Za-z]?/g) ?? [];
  if (conversions.some((conversion) => /n$|\(/.test(conversion))) {
    return { word: format, reason: "%n sets a variable, whose name is evaluated" };
  }
  if (conversions.every((conversion) => /^%[-+ #0-9.]*[sbqc]$/.test(conversion))) return undefined;
  const word = values.find(
    (value) => !(value.isLiteral && /^[-+]?[\d.]*$/.test(value.value)) && !isStatusParameter(value),
  );
  return word === undefined
    ? undefined
    : { word, reason: "shells evaluate arguments that the format says are numbers" };
}
