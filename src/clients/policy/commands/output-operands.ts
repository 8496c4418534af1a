import type { OutputOperands } from "../programs/risky-program.ts";
import type { ShellWord } from "../shell/shell-line.ts";
import { mayBeOption } from "../shell/simple-command.ts";

/** Outputs that are not files. */
const NOWHERE = /^(?:-|\/dev\/(?:null|stdout))$/;

/** Certainly one word, although only a running shell knows its value. */
const ONE_WORD = /^(?:"[^"@]*"|~\/[\w./-]*)$/;

/** The operands that may be files which the program writes: those after the ones that it reads. Linear. Pure. */
export function outputOperands(
  words: readonly ShellWord[],
  { after, valued, exempt }: OutputOperands,
): readonly ShellWord[] {
  const found: ShellWord[] = [];
  let count = 0;
  let areOptionsOver = false;
  for (const [index, word] of words.entries()) {
    const before = words[index - 1];
    if (!areOptionsOver && before?.isLiteral === true && valued.includes(before.value)) continue;
    if (!areOptionsOver && word.isLiteral && word.value === "--") areOptionsOver = true;
    else if (areOptionsOver || !mayBeOption(word) || word.value === "-" || !word.isLiteral) {
      const isOne = word.isLiteral || ONE_WORD.test(word.raw);
      count += isOne ? 1 : after + 1;
      const isHarmless = NOWHERE.test(word.value) || (isOne && exempt?.test(word.value) === true);
      if (count > after && !isHarmless) found.push(word);
    }
  }
  return found;
}
