import { expect, test } from "bun:test";
import { layoutRun } from "./run-layout.ts";

test.each([
  [120, 30, "side"],
  [100, 24, "side"],
  [200, 60, "side"],
  [80, 24, "stack"],
  [60, 20, "stack"],
  [80, 70, "stack"],
  [40, 20, "single"],
  [40, 8, "single"],
] as const)("on a screen of %d × %d the panes are arranged as %s and fit", (columns, rows, arrangement) => {
  const layout = layoutRun({ columns, rows });
  const { graph, agents, thread, padding } = layout;
  expect(layout.arrangement).toBe(arrangement);
  expect(layout.columns).toBe(columns - 2 * padding);
  if (arrangement === "side") {
    expect(graph.columns + agents.columns + 3).toBe(layout.columns);
    expect(graph.rows + thread.rows + 6).toBe(rows);
  } else if (arrangement === "stack") expect(graph.rows + agents.rows + thread.rows + 7).toBe(rows);
  else expect(graph.rows + 6).toBe(rows);
});

test("the rows of a high window are for all panes", () => {
  const rowsIn = (columns: number, rows: number) => {
    const { graph, agents, thread } = layoutRun({ columns, rows });
    return [graph.rows, agents.rows, thread.rows];
  };
  expect(rowsIn(200, 60)).toEqual([27, 27, 27]);
  expect(rowsIn(80, 70)).toEqual([22, 21, 20]);
});
