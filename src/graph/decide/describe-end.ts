import type { NodeEmission } from "../../contracts/index.ts";
import type { NodeResult, RequestSpec, SignalData } from "../model/node-definition.ts";

/** The parts of a node's result that its record contains besides the update: the target, the label and the outcome. */
export function describeEnd(
  result: NodeResult | undefined,
): (Pick<NodeResult, "goto" | "isPassed"> & { readonly label?: string }) | undefined {
  const { goto, isPassed } = result ?? {};
  if (goto === undefined && isPassed === undefined && result?.signals === undefined) return undefined;
  let label: string | undefined;
  for (const signal of result?.signals ?? []) if (signal.type === "checkpoint") ({ label } = signal);
  const outcome = isPassed === undefined ? {} : { isPassed };
  return { ...(goto === undefined ? {} : { goto }), ...outcome, ...(label === undefined ? {} : { label }) };
}

/** The events that a node's signals cause. */
export function eventsOf(result: NodeResult | undefined): readonly NodeEmission[] {
  return (result?.signals ?? []).flatMap(eventOf);
}

function eventOf(signal: SignalData): readonly NodeEmission[] {
  switch (signal.type) {
    case "context_window_warning": {
      const { usage, session, action = "warn" } = signal;
      const of = session === undefined ? {} : { session };
      return [{ type: "context-window", ...of, ...(usage === undefined ? {} : { fraction: usage }), action }];
    }
    case "debug_report_generated":
      return [{ type: "debug-report", report: signal.report }];
    case "checkpoint":
    case "human_input_required":
      return [];
  }
}

/** The question that a node asks, whichever field it uses. */
export function questionOf(result: NodeResult | undefined): RequestSpec | undefined {
  if (result?.request !== undefined) return result.request;
  for (const signal of result?.signals ?? []) {
    if (signal.type === "human_input_required") return { question: signal.prompt };
  }
  return undefined;
}
