import type { ReasoningEffort } from "../../../contracts/index.ts";

/** OpenCode's names for Atomic's efforts, the best match first. */
const NAMES: Readonly<Record<ReasoningEffort, readonly string[]>> = {
  none: ["none", "minimal"],
  low: ["low", "minimal"],
  medium: ["medium"],
  high: ["high"],
  max: ["max", "xhigh"],
};

/** All names, from the lowest effort to the highest. */
const LADDER: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/**
 * The variant of a model that is nearest to an effort, the lower of two equally near. Undefined if the model has none, and
 * for the effort `none` if the model thinks only with a variant. Pure.
 */
export function variantFor(effort: ReasoningEffort, variants: readonly string[]): string | undefined {
  const exact = NAMES[effort].find((name) => variants.includes(name));
  if (exact !== undefined) return exact;
  if (effort === "none") return variants.includes("low") ? "low" : undefined;
  // An effort other than `none` never means `none`.
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
