import { expect, test } from "bun:test";
import type { ReasoningEffort } from "../../../contracts/index.ts";
import { effortsOf, variantFor } from "./opencode-effort.ts";

const EFFORTS: readonly ReasoningEffort[] = ["none", "low", "medium", "high", "max"];

test.each<{
  readonly variants: readonly string[];
  readonly found: readonly (string | undefined)[];
  readonly known: readonly ReasoningEffort[];
}>([
  { variants: [], found: [undefined, undefined, undefined, undefined, undefined], known: [] },
  {
    variants: ["low", "medium", "high"],
    found: ["low", "low", "medium", "high", "high"],
    known: ["low", "medium", "high"],
  },
  {
    variants: ["minimal", "low", "medium", "high", "xhigh"],
    found: ["minimal", "low", "medium", "high", "xhigh"],
    known: ["none", "low", "medium", "high", "max"],
  },
  {
    variants: ["minimal", "high"],
    found: ["minimal", "minimal", "high", "high", "high"],
    known: ["none", "high"],
  },
  // Such a model thinks only with a variant.
  { variants: ["high", "max"], found: [undefined, "high", "high", "high", "max"], known: ["high", "max"] },
  {
    variants: ["max", "none", "made-up"],
    found: ["none", "max", "max", "max", "max"],
    known: ["none", "max"],
  },
])("a model with $variants", ({ variants, found, known }) => {
  expect(EFFORTS.map((effort) => variantFor(effort, variants))).toEqual([...found]);
  expect(effortsOf(variants)).toEqual(known);
});
