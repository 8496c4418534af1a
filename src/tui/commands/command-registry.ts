import type { CommandDefinition } from "./command.ts";

/** The slash commands by name and alias. Names are compared without regard to case. */
export class CommandRegistry {
  readonly #commands = new Map<string, CommandDefinition>();
  readonly #aliases = new Map<string, string>();
  readonly #listeners = new Set<() => void>();
  #revision = 0;

  /** How often the commands changed. */
  readonly revision = (): number => this.#revision;

  /** Calls the listener after each change. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Adds a command. One of the same name is replaced; an alias never hides a name or another command's alias. */
  register(command: CommandDefinition): void {
    this.#remove(command.name);
    this.#commands.set(keyOf(command.name), command);
    for (const alias of command.aliases ?? []) {
      const key = keyOf(alias);
      if (!this.#commands.has(key) && !this.#aliases.has(key)) this.#aliases.set(key, keyOf(command.name));
    }
    this.#changed();
  }

  /** Removes a command and its aliases. Returns whether there was one. */
  unregister(name: string): boolean {
    const wasKnown = this.#remove(name);
    if (wasKnown) this.#changed();
    return wasKnown;
  }

  get(nameOrAlias: string): CommandDefinition | undefined {
    const key = keyOf(nameOrAlias);
    return this.#commands.get(key) ?? this.#commands.get(this.#aliases.get(key) ?? "");
  }

  has(nameOrAlias: string): boolean {
    return this.get(nameOrAlias) !== undefined;
  }

  /** The visible commands whose name or alias starts with a text: exact names first, then by name. */
  search(query: string): readonly CommandDefinition[] {
    const prefix = keyOf(query);
    const isMatch = (name: string): boolean => keyOf(name).startsWith(prefix);
    return this.all()
      .filter(({ hidden = false }) => !hidden)
      .filter(({ name, aliases = [] }) => isMatch(name) || aliases.some(isMatch))
      .toSorted((one, other) => rank(one, prefix) - rank(other, prefix) || one.name.localeCompare(other.name));
  }

  /** Every command, hidden ones too, in the order of their registration. */
  all(): readonly CommandDefinition[] {
    return [...this.#commands.values()];
  }

  clear(): void {
    this.#commands.clear();
    this.#aliases.clear();
    this.#changed();
  }

  #remove(name: string): boolean {
    const key = keyOf(name);
    for (const [alias, target] of this.#aliases) if (target === key) this.#aliases.delete(alias);
    return this.#commands.delete(key);
  }

  #changed(): void {
    this.#revision += 1;
    for (const listener of this.#listeners) listener();
  }
}

function keyOf(name: string): string {
  return name.toLowerCase();
}

function rank({ name }: CommandDefinition, prefix: string): number {
  const key = keyOf(name);
  if (key === prefix) return 0;
  return key.startsWith(prefix) ? 1 : 2;
}
