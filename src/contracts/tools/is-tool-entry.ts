import { isToolWord } from "./tool-meanings.ts";

/** Names of MCP servers in VS Code can have spaces, as in `Azure MCP/search`. */
const ENTRY = /^!?\s*[\w*@](?:[\w*.@:/-]| (?=[^()]*\/))*(?<![.@:/-])\s*(?:\(.*\))?$/s;

/**
 * Whether an entry of a list of tools has the form of a name, with a pattern or without: `read`, `!write`, `Bash(git:*)`,
 * `github/*`. Another one, such as `Bash(git`, would allow or exclude nothing. Pure.
 */
export function isToolEntry(entry: string): boolean {
  const trimmed = entry.trim();
  if (!ENTRY.test(trimmed)) return false;
  // `Bash:rm` was meant to be `Bash(rm:*)`.
  const [, word = ""] = /^!?\s*(\w+):/.exec(trimmed) ?? [];
  return !isToolWord(word);
}
