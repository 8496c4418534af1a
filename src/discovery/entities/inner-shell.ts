/** Shells, and variables that may name one. */
const SHELL = /^(?:r?bash|sh|zsh|dash|ksh|ash|mksh|fish|busybox|\$\{?\w+\}?)$/;

/** Interpreters whose option for code is another one than a shell's. */
const INTERPRETER = /^(?:(?:python|perl|ruby|php|lua)[\d.]*|node|nodejs|bun|deno)$/;

const INTERPRETER_OPTION = /^(?:-[A-Za-z0-9]*[ceEpr]|--(?:eval|print|run|import|require)|eval$)/;

/** Programs whose first argument that is no option is code, which can run commands. */
const SCRIPTED = /^(?:[gmn]?awk|g?sed)$/;

/** Their options with a value in the next word. */
const VALUE_OPTION = /^-[vFfl]$/;

/** Their option with more code in the next word. */
const MORE_CODE = /^(?:-[A-Za-z]*e|--expression|--source)/;

/** The end of a pipe with its first program that is no wrapper, and the words after it. */
const PIPED =
  /\|&?[\s({]*(?:\w+=[^\s|;&]*\s+|(?:sudo|doas|env|exec|command|nohup|nice|time|timeout|xargs|then|do)(?:\s+[-\d][^\s|;&]*)*\s+)*["'\\]?(?:[\w./-]*\/)?([\w.$]+)["']?([^|;&)}\n]*)/g;

/** A file with a script, which a program reads instead of its input. */
const SCRIPT_FILE = /(?:^|\s)(?!\/dev\/(?:stdin|fd))[^\s-]\S*[./]\S/;

/**
 * Whether a command line pipes something into a shell or an interpreter that runs what it reads. Finds the usual forms; no
 * list of programs is complete. Pure.
 */
export function pipesIntoShell(command: string): boolean {
  return [...command.matchAll(PIPED)].some(([, program = "", rest = ""]) => {
    if (program === "." || program === "source") return true;
    if (SCRIPTED.test(program)) return /\s-\w*f\s*(?:-|\/dev)/.test(rest);
    const isReader = SHELL.test(program) || INTERPRETER.test(program) || READS_COMMANDS.test(program);
    return isReader && !SCRIPT_FILE.test(rest);
  });
}

const READS_COMMANDS = /^(?:ed|ex|tclsh|gdb|bc|at|batch)$/;

/** Programs that run their arguments as a command line. */
const EVALUATOR = /^(?:eval|ssh)$/;

/** Words after which another command may begin. */
const WRAPPER =
  /^(?:env|sudo|doas|command|builtin|exec|nohup|nice|time|timeout|xargs|if|then|else|elif|while|until|do|!|\{)$/;

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

const CODE_OPTION = /^(?:-[A-Za-z]*c|--command)/;

/**
 * Follows the words of a command line, and knows whether the current simple command runs its arguments as code, as
 * `sh -c` and `eval` do: quotes for the outer shell protect nothing there.
 */
export class InnerShell {
  #word = "";
  #isCommandNext = true;
  #isWrapped = false;
  #hasShell = false;
  #hasCode = false;
  /** The option for code of the interpreter that was named. */
  #codeOption: RegExp | undefined;
  /** Where a program as `awk` has its code: in the word that is next, or after the value of an option. */
  #script: "none" | "next" | "after-value" = "none";
  #hasScript = false;

  /** A character of a word, without its quotes. */
  add(character: string): void {
    this.#word += character;
  }

  endWord(): void {
    const word = this.#word;
    this.#word = "";
    if (word === "" || (this.#isCommandNext && ASSIGNMENT.test(word))) return;
    this.#hasCode ||= this.#isCodeOption(word);
    const name = word.slice(word.lastIndexOf("/") + 1);
    this.#followScript(word);
    if (this.#isCommandNext && SCRIPTED.test(name)) [this.#script, this.#hasScript] = ["next", true];
    if (INTERPRETER.test(name)) this.#codeOption = INTERPRETER_OPTION;
    // Other programs start a shell, too: `find -exec sh -c`.
    this.#hasShell ||= SHELL.test(name) || (this.#isCommandNext && name === "su");
    this.#hasCode ||= this.#isCommandNext && EVALUATOR.test(name);
    // Which of a wrapper's words is the command depends on its options.
    this.#isWrapped ||= this.#isCommandNext && WRAPPER.test(name);
    this.#isCommandNext = this.#isWrapped;
  }

  endCommand(): void {
    this.endWord();
    this.#isCommandNext = true;
    this.#isWrapped = false;
    this.#hasShell = false;
    this.#hasCode = false;
    this.#codeOption = undefined;
    this.#script = "none";
    this.#hasScript = false;
  }

  #followScript(word: string): void {
    if (this.#script === "after-value") this.#script = "next";
    else if (this.#script === "next" && VALUE_OPTION.test(word)) this.#script = "after-value";
    else if (MORE_CODE.test(word) && this.#hasScript) this.#script = "next";
    else if (this.#script === "next" && !word.startsWith("-")) this.#script = "none";
  }

  /** Whether what comes next is code for an inner shell. */
  isNext(): boolean {
    return this.#hasCode || this.#script === "next" || this.#isCodeOption(this.#word);
  }

  #isCodeOption(word: string): boolean {
    return (this.#hasShell && CODE_OPTION.test(word)) || this.#codeOption?.test(word) === true;
  }
}
