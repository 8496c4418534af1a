import type { ReasoningEffort } from "../../../contracts/index.ts";

/** Atomic's efforts with OpenCode's names for them, the best name first. */
const NAMES: Readonly<Record<ReasoningEffort, readonly string[]>> = {
  none: ["none", "minimal"],
  low: ["low", "minimal"],
  medium: ["medium"],
  high: ["high"],
  max: ["max", "xhigh"],
};

/** All names, from the least effort to the most. */
const LADDER: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/**
 * The variant of a model that comes nearest to an effort, the weaker one of two; undefined where the model has none, and
 * where it thinks only when it is told to and is to think not at all. Pure.
 */
export function variantFor(effort: ReasoningEffort, variants: readonly string[]): string | undefined {
  const exact = NAMES[effort].find((name) => variants.includes(name));
  if (exact !== undefined) return exact;
  if (effort === "none") return variants.includes("low") ? "low" : undefined;
  // Who asks for thought does not mean none.
  const known = LADDER.filter((name) => name !== "none" && variants.includes(name));
  const wanted = LADDER.indexOf(effort);
  const distance = (name: string): number => Math.abs(LADDER.indexOf(name) - wanted);
  return known.toSorted((left, right) => distance(left) - distance(right))[0];
}

/** The efforts that a model's variants stand for. Pure. */
export function effortsOf(variants: readonly string[]): readonly ReasoningEffort[] {
  const efforts: readonly ReasoningEffort[] = ["none", "low", "medium", "high", "max"];
  const taken = new Set<string>();
  return efforts.filter((effort) => {
    const name = NAMES[effort].find((candidate) => variants.includes(candidate));
    if (name === undefined || taken.has(name)) return false;
    taken.add(name);
    return true;
  });
}
