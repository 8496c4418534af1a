import type { Renderable } from "@opentui/core";

/** How a column of a Markdown table is aligned, as OpenTUI's parser `marked` returns it. Null where the table does not say. */
export type ColumnAlignment = "left" | "center" | "right" | null;

/** The private parts of OpenTUI's table that align its cells. */
interface InnerTable {
  readonly content: object;
  readonly _cells: readonly (readonly {
    readonly textBufferView: { setTextAlign(alignment: "left" | "center" | "right"): void };
  }[])[];
  drawCellRange(...call: readonly unknown[]): void;
}

/** Aligns the cells of a table before each drawing: OpenTUI's tables are aligned to the left only. */
export function alignCells(table: Renderable, alignmentsOf: (content: object) => readonly ColumnAlignment[]): void {
  // The cast is true for 0.5.14, the only version that package.json allows: its TextTableRenderable has these members.
  const inner = table as unknown as InnerTable;
  const draw = inner.drawCellRange.bind(inner);
  inner.drawCellRange = (...call) => {
    const alignments = alignmentsOf(inner.content);
    for (const row of inner._cells) {
      for (const [index, cell] of row.entries()) cell.textBufferView.setTextAlign(alignments[index] ?? "left");
    }
    draw(...call);
  };
}
