import { isRecord, isText, isToolEntry } from "../../contracts/index.ts";
import { hasSpacedServer, isSwitch, normalizeExclusions, normalizeTools } from "./normalize-tools.ts";

/**
 * What is wrong with the value of `tools`, `allowed-tools` or `disallowed-tools`, to continue "The field …". An entry that
 * is no name would allow or exclude nothing. Pure.
 */
export function faultOfToolList(value: unknown, field: string): string | undefined {
  if (value === null || value === undefined) return "has no value";
  const isExclusion = field === "disallowed-tools";
  if (!isRecord(value)) {
    if (!isText(value) && !Array.isArray(value)) return `is ${String(value)}, which is not a list of tools`;
    const texts: readonly unknown[] = isText(value) ? [value] : value;
    const other = texts.find((each) => !isText(each));
    if (other !== undefined) return notAName(other);
    // An exclusion without its parenthesis excludes the whole tool.
    const isWhole = isExclusion || texts.every((each) => isText(each) && isBalanced(each));
    if (!isWhole) return "has a parenthesis without its counterpart";
    if (texts.some((each) => isText(each) && isNothing(each, isExclusion))) return "has an entry without a name";
  } else if (isExclusion) {
    const kept = Object.keys(value).find((name) => value[name] === false);
    if (kept !== undefined) return `has false for "${kept}". It lists the tools that may not be used`;
  } else {
    const unclear = Object.keys(value).find((name) => !isSwitch(value[name]));
    if (unclear !== undefined) return `has neither true nor false for ${JSON.stringify(unclear)}`;
  }
  const malformed = namesIn(value, isExclusion).find((name) => !isWellFormed(name, isExclusion));
  return malformed === undefined ? undefined : notAName(malformed);
}

function notAName(entry: unknown): string {
  return `has the entry ${JSON.stringify(entry)}, which is not the name of a tool`;
}

/** A list that allows nothing can be meant; an exclusion of nothing cannot. YAML takes `!Bash` for it. */
function isNothing(text: string, isExclusion: boolean): boolean {
  return isExclusion && /^[\s,]*$/.test(text);
}

function namesIn(value: unknown, isExclusion: boolean): readonly string[] {
  if (isExclusion) return normalizeExclusions(value);
  return isRecord(value) ? Object.keys(value) : (normalizeTools(value).vendorTools ?? []);
}

/** An exclusion is no exclusion of another one, and no vendor has one of a server with a space in its name. */
function isWellFormed(name: string, isExclusion: boolean): boolean {
  return isToolEntry(name) && !(isExclusion && (name.startsWith("!") || hasSpacedServer(name)));
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")") depth--;
    if (depth < 0) return false;
  }
  return depth === 0;
}
