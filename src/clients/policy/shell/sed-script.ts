/** Commands of one letter, some with a number. */
const SIMPLE_COMMANDS = "dDgGhHnNpPxFz=lqQ";

/** Addresses without delimiters, and separators between commands. */
const BETWEEN = /[\s;{}0-9,$!~+IM]/;

/**
 * Whether a `sed` script certainly only edits text: it neither runs programs (`e`) nor writes files (`w`). False for
 * anything it does not understand. Linear. Pure.
 */
export function isHarmlessSedScript(script: string): boolean {
  let index = 0;
  while (index < script.length) {
    const character = script.charAt(index);
    const next = script.charAt(index + 1);
    let end: number | undefined;
    if (BETWEEN.test(character) || SIMPLE_COMMANDS.includes(character)) end = index + 1;
    else if (character === "/") end = endOfDelimited(script, index + 1, "/");
    else if (character === "\\" && /[^\w\s\\]/.test(next)) end = endOfDelimited(script, index + 2, next);
    else if (character === "s") end = endOfSubstitution(script, index, /[gpiIm0-9M]/);
    else if (character === "y") end = endOfSubstitution(script, index, /[^\s\S]/);
    else if ("btT:".includes(character)) end = endOfLabel(script, index + 1);
    else if ("aic".includes(character)) end = endOfText(script, index + 1);
    else if ("rR#".includes(character)) end = endOfLine(script, index + 1);
    if (end === undefined) return false;
    index = end;
  }
  return true;
}

/**
 * The offset after the closing delimiter of a regular expression. In brackets, delimiters are text for GNU, BSD and busybox;
 * a program that ends the expression there finds an open bracket and runs nothing. Undefined when there is no end, or
 * programs disagree about where it is.
 */
function endOfDelimited(script: string, from: number, delimiter: string): number | undefined {
  let index = from;
  while (index < script.length) {
    const character = script.charAt(index);
    if (character === delimiter) return index + 1;
    if (character === "\n" || (character === "\\" && script.charAt(index + 1) === "\n")) return undefined;
    const end: number | undefined =
      character === "[" ? endOfBrackets(script, index + 1) : index + (character === "\\" ? 2 : 1);
    if (end === undefined) return undefined;
    index = end;
  }
  return undefined;
}

/** The offset after a bracket expression. A `]` at its start is text, and so is one that ends `[:alpha:]`. */
function endOfBrackets(script: string, from: number): number | undefined {
  let index = script.charAt(from) === "^" ? from + 1 : from;
  if (script.charAt(index) === "]") index++;
  while (index < script.length) {
    const character = script.charAt(index);
    const next = script.charAt(index + 1);
    if (character === "]") return index + 1;
    if (character === "\n") return undefined;
    // Some programs read a backslash here as text, others do not.
    if (character === "\\" && /[[\]\n]|^$/.test(next)) return undefined;
    if (character === "[" && ".:=".includes(next) && next !== "") {
      const end = endOfClass(script, index);
      if (end === undefined) return undefined;
      index = end;
    } else index += character === "\\" ? 2 : 1;
  }
  return undefined;
}

/** The offset after a class such as `[:alpha:]`; undefined for any other text. */
function endOfClass(script: string, from: number): number | undefined {
  const known = /^\[:(?:alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit):\]/;
  const length = known.exec(script.slice(from, from + 12))?.[0].length;
  return length === undefined ? undefined : from + length;
}

function endOfSubstitution(script: string, start: number, flags: RegExp): number | undefined {
  const delimiter = script.charAt(start + 1);
  if (delimiter === "" || /[\w\s\\[\]]/.test(delimiter)) return undefined;
  const isPlain = script.charAt(start) === "y";
  const middle = (isPlain ? endOfReplacement : endOfDelimited)(script, start + 2, delimiter);
  const end = middle === undefined ? undefined : endOfReplacement(script, middle, delimiter);
  if (end === undefined) return undefined;
  let index = end;
  while (flags.test(script.charAt(index))) index++;
  return index === script.length || /[\s;}#]/.test(script.charAt(index)) ? index : undefined;
}

/** In a replacement, brackets have no meaning. */
function endOfReplacement(script: string, from: number, delimiter: string): number | undefined {
  for (let index = from; index < script.length; index++) {
    const character = script.charAt(index);
    if (character === delimiter) return index + 1;
    if (character === "\n") return undefined;
    if (character === "\\") index++;
  }
  return undefined;
}

/** Undefined for a label that contains a blank: some programs end it there and read a command after it. */
function endOfLabel(script: string, from: number): number | undefined {
  let end = from;
  while (end < script.length && !";\n}".includes(script.charAt(end))) end++;
  return /\s/.test(script.slice(from, end).trim()) ? undefined : end;
}

function endOfLine(script: string, from: number): number {
  const end = script.indexOf("\n", from);
  return end < 0 ? script.length : end;
}

/** Continues to the end of the line, also after a backslash. */
function endOfText(script: string, from: number): number {
  for (let index = from; index < script.length; index++) {
    if (script.charAt(index) === "\\") index++;
    else if (script.charAt(index) === "\n") return index;
  }
  return script.length;
}
