/** A part of a hint: `<prompt>`, `[--verify COMMAND]`, `"<a path>"`, `|`, or a word. */
const PARTS = /"[^"]*"|<[^>]*>|\[[^\]]*\]|\S+/g;
const FLAGS = /--?[\w-]+/g;

/**
 * The part of a command's hint that still makes sense after what was typed. The whole hint while there is no argument;
 * afterwards only the options in brackets that were not used. Alternatives, `list | show <run>`, end with the first word.
 */
export function missingHint(hint: string, argsText: string): string {
  if (argsText.trim() === "") return hint.trim();
  const parts: readonly string[] = hint.match(PARTS) ?? [];
  if (parts.includes("|")) return "";
  const words = new Set(argsText.split(/\s+/));
  return parts.filter((part) => isOpenOption(part, words)).join(" ");
}

function isOpenOption(part: string, words: ReadonlySet<string>): boolean {
  if (!/^\[\s*-/.test(part)) return false;
  const flags: readonly string[] = part.match(FLAGS) ?? [];
  return !flags.some((flag) => words.has(flag));
}
