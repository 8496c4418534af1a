import { type DiscoveryProblem, nearestName } from "../../contracts/index.ts";
import type { PlacedValue } from "./hook-json.ts";

/** Collects what is wrong with a file of hooks. */
export class HookNotes {
  readonly problems: DiscoveryProblem[] = [];
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Notes that a hook does not run. */
  note({ line }: Pick<PlacedValue, "line">, message: string, remedy: string): undefined {
    this.problems.push({ path: this.#path, line, message, remedy, severity: "warning" });
    return;
  }

  /** Whether a matcher is none that must be left out; notes one that is. */
  isUsable(place: Pick<PlacedValue, "line">, matcher: string | undefined): boolean {
    try {
      new RegExp(matcher === "*" ? "" : (matcher ?? ""));
      return true;
    } catch {
      const message = `The matcher ${JSON.stringify(matcher)} is no valid regular expression`;
      this.note(place, message, "Correct it. The hook does not run.");
      return false;
    }
  }

  /** Notes an event without a counterpart. @param others events that the vendor has and Atomic does not */
  noteEvent(
    place: Pick<PlacedValue, "line">,
    name: string,
    { known, others = [] }: { readonly known: readonly string[]; readonly others?: readonly string[] },
  ): undefined {
    if (others.includes(name)) {
      return this.note(
        place,
        `Hooks for "${name}" do not run here: other agents have no such event`,
        "They still run where their own agent runs them.",
      );
    }
    const nearest = nearestName(name, known);
    const remedy = nearest === undefined ? `Known events: ${known.join(", ")}.` : `Did you mean "${nearest}"?`;
    return this.note(place, `There is no event "${name}"`, remedy);
  }
}
