const SHELL = /^(?:sh|bash|zsh|dash|ksh|ash|mksh|fish)$/;

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
  }

  /** Whether what comes next is code for an inner shell. */
  isNext(): boolean {
    return this.#hasCode || this.#isCodeOption(this.#word);
  }

  #isCodeOption(word: string): boolean {
    return this.#hasShell && CODE_OPTION.test(word);
  }
}
