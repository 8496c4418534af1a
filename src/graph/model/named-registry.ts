import { InvalidOptionsError } from "../options/check-call.ts";
import { isObject, someText } from "../options/option-checks.ts";
import { showValue } from "../options/show-value.ts";
import type { NamedServices } from "./named-services.ts";

/**
 * Values by name, for programs that register them one by one. Names are not case-sensitive.
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

  /** Adds a value, or replaces the one with the same name. @throws InvalidOptionsError */
  register(thing: Thing): void {
    if (!isObject(thing) || !someText.accepts(thing.name)) {
      const problem = `register() was given ${showValue(thing)}; give it an object with a name`;
      throw new InvalidOptionsError("register", [problem]);
    }
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
