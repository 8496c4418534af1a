import { type Interpreter, interpreterOf } from "./interpreters.ts";
import { UNKNOWN } from "./shell-words.ts";

/** What a simple command runs as code. */
export interface FoundCode {
  /** The numbers of its words that are code. */
  readonly words: readonly number[];
  /** Whether its input is code. */
  readonly isInput: boolean;
}

interface ProgramCode extends FoundCode {
  /** Whether an argument that is appended would be code. */
  readonly isOpen: boolean;
}

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/** Programs that run the command in their arguments. Which of their words it begins with depends on their options. */
const WRAPPER =
  /^(?:env|sudo|doas|command|builtin|exec|nohup|nice|ionice|time|timeout|xargs|setsid|stdbuf|busybox|toybox|-exec(?:dir)?|-ok(?:dir)?)$/;

/** Programs and words of the shell that run none of their arguments. */
const READER =
  /^(?:[efz]?grep|rg|ag|ack|echo|printf|cat|ls|test|\[|\[\[|cd|type|which|whereis|man|tee|sort|column|jq|for|case|select)$/;

/**
 * Finds what a simple command runs as code, as `sh -c` and `eval` do: quotes for the outer shell protect nothing there.
 * Knows the usual programs; no list of them is complete. Pure.
 *
 * @param words without quotes, with {@link UNKNOWN} for what only a run knows
 */
export function findCode(words: readonly string[]): FoundCode {
  const code: number[] = [];
  let isInput = false;
  let isWrapped = false;
  let xargs: number | undefined;
  let end = -1;
  for (let at = 0, isCommand = true; at < words.length; at++) {
    const word = words[at] ?? "";
    if (isCommand && ASSIGNMENT.test(word)) continue;
    // Other programs start one, too: `docker exec box sh -c`. There, a path is more likely that of a file.
    const program: string = isCommand || word.startsWith("/") ? word.slice(word.lastIndexOf("/") + 1) : word;
    if (isCommand && READER.test(program)) break;
    if (isCommand && program === "xargs") xargs = at;
    isWrapped ||= (isCommand || program.startsWith("-")) && WRAPPER.test(program);
    const readCode = codeReaderOf(program, isCommand);
    isCommand = isWrapped;
    if (readCode === undefined) continue;
    if (end <= at) end = endOfProgram(words, at);
    const isCertain = !isVariable(program);
    const found = readCode(words.slice(at + 1, isCertain ? end : Math.min(end, at + MAX_OPTIONS)));
    code.push(...found.words.map((index) => at + 1 + index));
    isInput ||= xargs === undefined ? found.isInput : found.isOpen || replacesCode(words.slice(xargs, at), found);
    // A variable may also be a value.
    if (isCertain) at = end;
  }
  return { words: code, isInput };
}

/** How many words after a variable are read as the options of a shell: each of many variables may be one. */
const MAX_OPTIONS = 50;

/** `find -exec` has several commands, with a semicolon after each. */
function endOfProgram(words: readonly string[], at: number): number {
  const end = words.indexOf(";", at);
  return end === -1 ? words.length : end;
}

/** Whether `xargs` puts its input into the code. */
function replacesCode(xargs: readonly string[], { words }: ProgramCode): boolean {
  return words.length > 0 && xargs.some((word) => /^-[IiJ]|^--replace/.test(word));
}

function isVariable(program: string): boolean {
  return /^\$\{?\w+\}?$/.test(program) || program.includes(UNKNOWN);
}

type CodeReader = (args: readonly string[]) => ProgramCode;

function codeReaderOf(program: string, isCommand: boolean): CodeReader | undefined {
  const interpreter = interpreterOf(program, isCommand && isVariable(program));
  if (interpreter !== undefined) return (args) => codeOfInterpreter(args, interpreter);
  if (!isCommand) return undefined;
  if (program === "eval") return (args) => ({ words: [...args.keys()], isInput: false, isOpen: true });
  if (program === "ssh") return (args) => ({ words: [...args.keys()], isInput: readsRemotely(args), isOpen: true });
  if (program === "su" || program === "runuser") return codeOfUserSwitch;
  if (program === "." || program === "source") {
    return ([file = "-"]) => ({ words: [], isInput: INPUT_FILE.test(file), isOpen: false });
  }
  if (SCRIPTED.test(program)) return codeOfScript;
  return READS_COMMANDS.test(program) ? () => ({ words: [], isInput: true, isOpen: false }) : undefined;
}

/** Programs that read commands from their input, whatever their operands are. */
const READS_COMMANDS = /^(?:ed|ex|gdb|bc|at|batch)$/;

/** Names of the input where a file is expected. */
const INPUT_FILE = /^(?:-|\/dev\/(?:stdin|fd\/\d+)|\/proc\/self\/fd\/\d+)$/;

/** Options count only up to the first operand; without a script, the input is one. */
function codeOfInterpreter(args: readonly string[], interpreter: Interpreter): ProgramCode {
  const { code, isOperandCode = false, isCodeLast = false, values, module, skipped, input } = interpreter;
  const words: number[] = [];
  const closed = { words, isInput: false, isOpen: false };
  let hasCode = false;
  let readsInput = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    const [option] = code.exec(word) ?? [];
    if (option !== undefined) {
      hasCode = true;
      words.push(at);
      if (!isOperandCode && option === word) words.push(++at);
      if (isCodeLast) return { ...closed, isOpen: at >= args.length };
    } else if (module?.test(word)) return closed;
    readsInput ||= input?.test(word) === true;
    if (values.test(word)) at++;
    else if (option === undefined && !skipped?.test(word) && (word === "-" || !word.startsWith("-"))) {
      if (hasCode && isOperandCode) words.push(at);
      return { ...closed, isInput: !hasCode && (readsInput || INPUT_FILE.test(word)) };
    }
  }
  const isComplete = hasCode && !isOperandCode && (words.at(-1) ?? 0) < args.length;
  return { words, isInput: !hasCode, isOpen: !isComplete };
}

/** Options of `ssh` whose value is the next word. */
const SSH_VALUE = /^-[BDEFIJLOQRSWbceilmopw]$/;

/** Whether a shell on the other machine, or what it starts, reads its commands from the input. */
function readsRemotely(args: readonly string[]): boolean {
  let host = 0;
  while (args[host]?.startsWith("-")) host += SSH_VALUE.test(args[host] ?? "") ? 2 : 1;
  const remote = args.slice(host + 1).join(" ");
  if (remote.trim() === "") return true;
  const commands = remote
    .split(/[;|&(){}\n]+/)
    .map((command) => command.split(/[\s'"]+/).filter((word) => word !== ""));
  // A second one is read as if it had no command.
  return commands.some((words) => words.includes("ssh") || findCode(words).isInput);
}

/** `su` starts a shell, with the options after the user. */
function codeOfUserSwitch(args: readonly string[]): ProgramCode {
  const first = args.findIndex((word) => /^-[A-Za-z]*c|^--command\b/.test(word));
  const words = first === -1 ? [] : [...args.keys()].slice(first);
  return { words, isInput: first === -1, isOpen: true };
}

/** Programs whose first operand is code, which can run commands. */
const SCRIPTED = /^(?:[gmn]?awk|g?sed)$/;

/** Their options with a value in the next word, with more code, and with a file of code. */
const SCRIPT_VALUE = /^(?:-[FLlv]|--(?:assign|field-separator|line-length))$/;
const SCRIPT_CODE = /^(?:-[^-\WFLfilv]*?e|--(?:expression|source)\b=?)/;
const SCRIPT_FILE = /^(?:-[^-\WFLeilv]*?f|--file\b=?)/;

function codeOfScript(args: readonly string[]): ProgramCode {
  const words: number[] = [];
  let hasScript = false;
  let isInput = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    const [code] = SCRIPT_CODE.exec(word) ?? [];
    const [file] = SCRIPT_FILE.exec(word) ?? [];
    if (code !== undefined) words.push(at, ...(code === word ? [++at] : []));
    else if (file !== undefined)
      isInput ||= INPUT_FILE.test(file === word ? (args[++at] ?? "") : word.slice(file.length));
    // The second word is the suffix of backups, on BSD.
    else if (SCRIPT_VALUE.test(word) || (word === "-i" && args[at + 1] === "")) at++;
    else if (word === "" || !word.startsWith("-")) {
      if (!hasScript) words.push(at);
      hasScript = true;
    }
    hasScript ||= code !== undefined || file !== undefined;
  }
  return { words, isInput, isOpen: !hasScript };
}
