/** Commands of one letter, with a number behind some of them. */
const SIMPLE_COMMANDS = "dDgGhHnNpPxFz=lqQ";

/** Addresses as far as they are not between delimiters, and what stands between commands. */
const BETWEEN = /[\s;{}0-9,$!~+IM]/;

/**
 * Whether a script for `sed` is known to do nothing but edit text: it neither runs programs (`e`) nor writes files (`w`).
 * False for whatever it does not understand. Linear. Pure.
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

/** The place behind the closing delimiter. Undefined when there is none, or when programs differ about where it is. */
function endOfDelimited(script: string, from: number, delimiter: string): number | undefined {
  let hasBracket = false;
  for (let index = from; index < script.length; index++) {
    const character = script.charAt(index);
    // Within brackets some programs end at a delimiter, and others do not.
    if (character === delimiter) return hasBracket ? undefined : index + 1;
    if (character === "\\") index++;
    else if (character === "[") hasBracket = true;
    else if (character === "]") hasBracket = false;
  }
  return undefined;
}

function endOfSubstitution(script: string, start: number, flags: RegExp): number | undefined {
  const delimiter = script.charAt(start + 1);
  if (delimiter === "" || /[\w\s\\[\]]/.test(delimiter)) return undefined;
  const middle = endOfDelimited(script, start + 2, delimiter);
  const end = middle === undefined ? undefined : endOfReplacement(script, middle, delimiter);
  if (end === undefined) return undefined;
  let index = end;
  while (flags.test(script.charAt(index))) index++;
  return index === script.length || /[\s;}#]/.test(script.charAt(index)) ? index : undefined;
}

/** In a replacement brackets mean nothing. */
function endOfReplacement(script: string, from: number, delimiter: string): number | undefined {
  for (let index = from; index < script.length; index++) {
    const character = script.charAt(index);
    if (character === delimiter) return index + 1;
    if (character === "\\") index++;
  }
  return undefined;
}

/** Undefined for a label with a blank in it: there some programs end it, and what follows is a command. */
function endOfLabel(script: string, from: number): number | undefined {
  let end = from;
  while (end < script.length && !";\n}".includes(script.charAt(end))) end++;
  return /\s/.test(script.slice(from, end).trim()) ? undefined : end;
}

function endOfLine(script: string, from: number): number {
  const end = script.indexOf("\n", from);
  return end < 0 ? script.length : end;
}

/** Up to the end of the line, also behind a backslash. */
function endOfText(script: string, from: number): number {
  for (let index = from; index < script.length; index++) {
    if (script.charAt(index) === "\\") index++;
    else if (script.charAt(index) === "\n") return index;
  }
  return script.length;
}
