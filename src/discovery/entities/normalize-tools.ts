/** The tools of a definition. */
export interface NormalizedTools {
  /** Names in lower case, without patterns, each once. Absent where nothing limits the tools. */
  readonly tools?: readonly string[];
  /** The names as they were written. */
  readonly vendorTools?: readonly string[];
  /** Names in lower case that are switched off. */
  readonly deniedTools?: readonly string[];
}

/**
 * Reads a list of tools in any vendor's spelling: a list, an object of yes and no as OpenCode has it, or a text such as
 * `Bash(git:*), Edit` or `Read Grep`. Anything else is no list of tools. Pure.
 */
export function normalizeTools(value: unknown): NormalizedTools {
  if (typeof value === "string") return fromNames(splitNames(value));
  if (Array.isArray(value)) return fromNames(value.filter((name) => typeof name === "string").flatMap(splitEntry));
  if (typeof value === "object" && value !== null) return fromSwitches(Object.entries(value));
  return {};
}

const YES: ReadonlySet<unknown> = new Set([true, "allow", "ask", "yes", "on", "true"]);

const NO: ReadonlySet<unknown> = new Set([false, "deny", "no", "off", "false"]);

/** Whether a switch turns a tool on. Whatever is no clear yes is a no. */
export function isOn(value: unknown): boolean {
  return YES.has(asWord(value));
}

/** Whether a value turns a tool on or off at all. */
export function isSwitch(value: unknown): boolean {
  return YES.has(asWord(value)) || NO.has(asWord(value));
}

/** Today's YAML takes `yes` for a text. */
function asWord(value: unknown): unknown {
  return typeof value === "string" ? value.toLowerCase() : value;
}

/**
 * Reads a list of tools that may not be used, as they are written, in any vendor's spelling. Where a parenthesis is missing
 * or left over, the tool before it is excluded as a whole: an entry that nothing can read would exclude nothing. Pure.
 */
export function normalizeExclusions(value: unknown): readonly string[] {
  if (typeof value === "string") return unique(splitNames(value).flatMap((name) => splitExclusion(name, /[\s,]/)));
  if (Array.isArray(value)) {
    const names = value.filter((name) => typeof name === "string").flatMap(splitEntry);
    return unique(names.flatMap((name) => splitExclusion(name, /,/)));
  }
  if (typeof value !== "object" || value === null) return [];
  const names = Object.entries(value).filter(([, isExcluded]) => isExcluded !== false);
  return unique(names.flatMap(([name]) => splitExclusion(name, /,/)));
}

/** A name in lower case, without the pattern in parentheses that may follow it. */
export function bareToolName(name: string): string {
  return name.replace(/\(.*$/s, "").trim().toLowerCase();
}

/** Splits at commas and white space outside of parentheses, as Claude Code does; its agents have `Read, Grep Glob`. */
function splitNames(text: string): readonly string[] {
  // A block of text can have the lines of a list.
  const plain = text.includes("\n") ? text.replace(/^[ \t]*-[ \t]+/gm, "") : text;
  const separated = splitAtCommas(plain);
  return separated.length > 1 ? separated.flatMap(splitEntry) : splitAtSpaces(separated[0] ?? "");
}

function splitEntry(entry: string): readonly string[] {
  return hasSpacedServer(entry) ? [entry] : splitAtSpaces(entry);
}

/** Whether an entry names a tool of an MCP server with a space in its name, as in `Azure MCP/search` of VS Code. Pure. */
export function hasSpacedServer(entry: string): boolean {
  // Patterns in parentheses have spaces and slashes of their own: `Read Bash(git add src/x)`.
  const names = entry.replace(/\([^()]*\)/g, "").trimStart();
  return /\s/.test(names.slice(0, names.lastIndexOf("/") + 1));
}

function splitAtCommas(text: string): readonly string[] {
  const names: string[] = [""];
  let depth = 0;
  for (const character of text) {
    depth = depthAfter(character, depth);
    if (character === "," && depth === 0) names.push("");
    else names[names.length - 1] += character;
  }
  return names.map((name) => name.trim()).filter((name) => name !== "");
}

/** Also keeps together what is one entry with a space in it: `Bash (git:*)`, `! Bash`. */
function splitAtSpaces(text: string): readonly string[] {
  const names: string[] = [];
  let depth = 0;
  let isBetween = true;
  for (const character of text) {
    const isSpace = depth === 0 && /\s/.test(character);
    const last = names.at(-1);
    if (!isSpace) {
      if (last === undefined || (isBetween && character !== "(" && last !== "!")) names.push(character);
      else names[names.length - 1] = last + character;
    }
    isBetween = isSpace;
    depth = depthAfter(character, depth);
  }
  return names.length > 1 ? names.filter((name) => name !== "and") : names;
}

function depthAfter(character: string, depth: number): number {
  if (character === "(") return depth + 1;
  return character === ")" ? Math.max(0, depth - 1) : depth;
}

/** The entries in a text, each with balanced parentheses or none. */
function splitExclusion(text: string, separator: RegExp): readonly string[] {
  const names: string[] = [];
  let name = "";
  for (let place = 0; place < text.length; place++) {
    const character = text.charAt(place);
    const end = character === "(" ? closingPlace(text, place) : undefined;
    if (end !== undefined) {
      names.push(name.trim() + text.slice(place, end + 1));
      name = "";
      place = end;
    } else if (character === "(") {
      // The pattern goes up to the next comma.
      names.push(name);
      name = "";
      const comma = text.indexOf(",", place);
      place = comma === -1 ? text.length : comma;
    } else if (character === ")" || separator.test(character)) {
      names.push(name);
      name = "";
    } else name += character;
  }
  return [...names, name].map((each) => each.trim()).filter((each) => each !== "");
}

/** A pattern is not longer: looking for the end of each must not take as long as the text is. */
const MAX_PATTERN_LENGTH = 500;

function closingPlace(text: string, open: number): number | undefined {
  let depth = 0;
  for (let place = open; place < Math.min(text.length, open + MAX_PATTERN_LENGTH); place++) {
    if (text[place] === "(") depth++;
    if (text[place] === ")") depth--;
    if (depth === 0) return place;
  }
  return undefined;
}

function fromNames(names: readonly string[]): NormalizedTools {
  const vendorTools = names
    .map((name) => name.trim().replace(/\s*,$/, ""))
    .flatMap((name) => (name.startsWith("!") ? splitExclusion(name.slice(1), /,/).map((each) => `!${each}`) : [name]))
    .filter((name) => name !== "");
  return { tools: unique(vendorTools.map(bareToolName)), vendorTools };
}

/** What is off is denied; what is on is the list, unless nothing is. */
function fromSwitches(switches: readonly (readonly [string, unknown])[]): NormalizedTools {
  const on = switches.filter(([, value]) => isOn(value)).map(([name]) => name);
  const off = switches.filter(([, value]) => !isOn(value)).map(([name]) => name);
  const deniedTools = unique(off.map(bareToolName));
  return {
    ...(on.length > 0 || off.includes("*") ? fromNames(on) : {}),
    ...(deniedTools.length > 0 ? { deniedTools } : {}),
  };
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
