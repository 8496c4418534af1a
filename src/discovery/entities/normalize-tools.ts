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
  if (Array.isArray(value)) return fromNames(value.filter((name) => typeof name === "string"));
  if (typeof value === "object" && value !== null) return fromSwitches(Object.entries(value));
  return {};
}

/** A name in lower case, without the pattern in parentheses that may follow it. */
export function bareToolName(name: string): string {
  return name.replace(/\(.*$/s, "").trim().toLowerCase();
}

/** Splits at commas outside of parentheses, or, where there are none, at white space. */
function splitNames(text: string): readonly string[] {
  const isSeparated = splitOutside(text, ",");
  return isSeparated.length > 1 ? isSeparated : splitOutside(text, " ");
}

function splitOutside(text: string, separator: "," | " "): readonly string[] {
  const names: string[] = [""];
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")") depth = Math.max(0, depth - 1);
    const isBetween = separator === "," ? character === "," : /\s/.test(character);
    if (isBetween && depth === 0) names.push("");
    else names[names.length - 1] += character;
  }
  return names.map((name) => name.trim()).filter((name) => name !== "");
}

function fromNames(names: readonly string[]): NormalizedTools {
  const vendorTools = names.map((name) => name.trim()).filter((name) => name !== "");
  return { tools: unique(vendorTools.map(bareToolName)), vendorTools };
}

/** What is off is denied; what is on is the list, unless nothing is. */
function fromSwitches(switches: readonly (readonly [string, unknown])[]): NormalizedTools {
  const on = switches.filter(([, isOn]) => isOn !== false && isOn !== "deny").map(([name]) => name);
  const off = switches.filter(([, isOn]) => isOn === false || isOn === "deny").map(([name]) => name);
  const deniedTools = unique(off.map(bareToolName));
  return {
    ...(on.length > 0 || off.includes("*") ? fromNames(on) : {}),
    ...(deniedTools.length > 0 ? { deniedTools } : {}),
  };
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
