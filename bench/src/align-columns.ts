/** Lines of cells as a table: the first columns start at the left, those of numbers end at the right. */
export function alignColumns(lines: readonly (readonly string[])[], textColumnCount: number): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  return lines
    .map((line) => {
      const cells = line.map((cell, column) => {
        const width = widths[column] ?? 0;
        return column < textColumnCount ? cell.padEnd(width) : cell.padStart(width);
      });
      return `  ${cells.join("  ")}`.trimEnd();
    })
    .join("\n");
}
