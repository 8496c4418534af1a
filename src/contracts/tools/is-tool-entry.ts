import { isToolWord } from "./tool-meanings.ts";

/** What comes before a pattern in parentheses. Names of MCP servers in VS Code can have spaces, as in `Azure MCP/search`. */
const NAME = /^!?\s*([\w*@][\w*.@:/ -]*)$/;

/**
 * Whether an entry of a list of tools has the form of a name, with a pattern or without: `read`, `!write`, `Bash(git:*)`,
 * `github/*`. Another one, such as `Bash(git`, would allow or exclude nothing. Pure.
 */
export function isToolEntry(entry: string): boolean {
  const trimmed = entry.trim();
  const open = trimmed.indexOf("(");
  if (open !== -1 && !trimmed.endsWith(")")) return false;
  const [, name] = NAME.exec((open === -1 ? trimmed : trimmed.slice(0, open)).trimEnd()) ?? [];
  if (name === undefined || /[.@:/-]$/.test(name) || name.lastIndexOf(" ") > name.lastIndexOf("/")) return false;
  // `Bash:rm` was meant to be `Bash(rm:*)`.
  const [, word = ""] = /^!?\s*(\w+):/.exec(trimmed) ?? [];
  return !isToolWord(word);
}
