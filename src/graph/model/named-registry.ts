import type { NamedServices } from "./named-services.ts";

/**
 * Things by their names, for programs that list them by hand. Upper and lower case are alike.
 *
 * ```ts
 * const agents = new NamedRegistry<AgentDefinition>();
 * agents.register({ name: "reviewer", prompt: "You review changes." });
 * await workflow.run({}, { services: { agents } });
 * ```
 */
export class NamedRegistry<Thing extends { readonly name: string }> implements NamedServices<Thing> {
  readonly #things = new Map<string, Thing>();

  constructor(things: Iterable<Thing> = []) {
    for (const thing of things) this.register(thing);
  }

  /** Adds a thing; one of the same name is replaced. */
  register(thing: Thing): void {
    this.#things.set(thing.name.toLowerCase(), thing);
  }

  find(name: string): Thing | undefined {
    return this.#things.get(name.toLowerCase());
  }

  /** Another name of {@link find}. */
  get(name: string): Thing | undefined {
    return this.find(name);
  }

  has(name: string): boolean {
    return this.#things.has(name.toLowerCase());
  }

  getAll(): readonly Thing[] {
    return [...this.#things.values()];
  }

  names(): readonly string[] {
    return this.getAll().map(({ name }) => name);
  }

  clear(): void {
    this.#things.clear();
  }
}
