import type { NodeEmission } from "../contracts/index.ts";
import type { NodeResult } from "./node-definition.ts";

/** The parts of a node's result, besides its update, that its record keeps: where to go, and what the moment is called. */
export function describeEnd(
  result: NodeResult | undefined,
): (Pick<NodeResult, "goto"> & { readonly label?: string }) | undefined {
  const goto = result?.goto;
  if (goto === undefined && result?.signals === undefined) return undefined;
  let label: string | undefined;
  for (const signal of result?.signals ?? []) if (signal.type === "checkpoint") ({ label } = signal);
  return { ...(goto === undefined ? {} : { goto }), ...(label === undefined ? {} : { label }) };
}

/** What a node's signals tell whoever watches the run. */
export function eventsOf(result: NodeResult | undefined): readonly NodeEmission[] {
  return (result?.signals ?? []).flatMap((signal): readonly NodeEmission[] => {
    if (signal.type !== "context_window_warning") return [];
    const { usage, session, action = "warn" } = signal;
    return [
      {
        type: "context-window",
        ...(session === undefined ? {} : { session }),
        ...(usage === undefined ? {} : { fraction: usage }),
        action,
      },
    ];
  });
}
