import type { HostCommand } from "../../../tui/index.ts";

/**
 * The commands of which each name is typed for one only: the first of a name stays, and an alias neither hides a name nor an
 * earlier alias. Case does not matter. Pure.
 */
export function uniqueCommands(commands: readonly HostCommand[]): readonly HostCommand[] {
  const names = new Set<string>();
  const kept = commands.filter(({ name }) => isNew(name, names));
  const taken = new Set(names);
  return kept.map(({ aliases = [], ...command }) => {
    const own = aliases.filter((alias) => isTypable(alias) && isNew(alias, taken));
    return own.length === 0 ? command : { ...command, aliases: own };
  });
}

/** Whether a name can be typed after a slash, with arguments after it. */
export function isTypable(name: string): boolean {
  return /^[^\s\p{C}]+$/u.test(name);
}

function isNew(name: string, known: Set<string>): boolean {
  const key = name.toLowerCase();
  if (known.has(key)) return false;
  known.add(key);
  return true;
}
