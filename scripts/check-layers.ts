import type { CheckOutcome } from "./check-outcome.ts";
import { checkLayers, formatLayerViolation } from "./layer-rules.ts";
import { LAYER_TABLE } from "./layer-table.ts";
import { loadSources } from "./load-sources.ts";

/** Checks the imports of everything below `src/` of a repository against layers.json. */
export async function checkLayersOf(root: string): Promise<CheckOutcome> {
  const violations = checkLayers(await loadSources(root, ["src"]), LAYER_TABLE);
  return { problems: violations.map((violation) => formatLayerViolation(violation, LAYER_TABLE)) };
}
