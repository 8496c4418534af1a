import { columnsOf, formatAge, padColumns, safeLine } from "../../view/index.ts";
import type { RunSummary } from "../host/runs-port.ts";
import { fitLine, type Line, span } from "./line.ts";
import type { RowStyle } from "./run-lines.ts";
import { signOf, stateOfRun } from "./work-state.ts";

/** The runs that have every word of a query in their names, prompts, agents, states or ids. */
export function filterRuns(runs: readonly RunSummary[], query: string): readonly RunSummary[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return runs;
  return runs.filter(({ id, workflow, prompt, agent = "", state }) => {
    const text = [id, workflow, prompt, agent, state].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The widths of the columns that the rows of runs share. */
export interface RunColumns {
  readonly workflow: number;
  readonly agent: number;
}

/** The widths of names over all rows. */
export function runColumns(runs: readonly RunSummary[]): RunColumns {
  const widest = (texts: readonly string[]): number => Math.min(14, Math.max(0, ...texts.map(columnsOf)));
  return {
    workflow: widest(runs.map(({ workflow }) => workflow)),
    agent: widest(runs.map(({ agent = "" }) => agent)),
  };
}

/** A run as a line of the list. A narrow screen leaves out the id and the agent. */
export function runLine(run: RunSummary, style: RowStyle & { readonly widths: RunColumns }): Line {
  const { columns, glyphs, now, isSelected = false, widths } = style;
  const { workflow, id, state, prompt, agent = "", startedAt } = run;
  const { sign, tone } = signOf(stateOfRun(state), glyphs);
  const isWide = columns >= 70;
  const age = formatAge(now - startedAt).padStart(4);
  const left = [
    span(isSelected ? `${glyphs.pointer} ` : "  ", "accent"),
    span(`${sign} `, tone),
    span(padColumns(safeLine(workflow, widths.workflow), widths.workflow), isSelected ? "accent" : "text", {
      isBold: isSelected,
    }),
    ...(isWide ? [span(`  ${id}`, "muted")] : []),
    span(`  ${prompt}`),
  ];
  const agentText = padColumns(safeLine(agent, widths.agent), widths.agent);
  const right = [span(isWide ? `${state.padEnd(11)}  ${agentText}  ${age}` : `${state} ${age}`, "muted")];
  return fitLine(left, right, columns);
}
