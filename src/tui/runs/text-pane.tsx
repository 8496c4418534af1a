import { span } from "./line.ts";
import { LinesView, LineView } from "./lines-view.tsx";
import type { PaneSize } from "./run-layout.ts";
import { textRows } from "./text-rows.ts";

/** Properties of {@link TextPane}. */
export interface TextPaneProps {
  readonly title: string;
  readonly text: string;
  readonly size: PaneSize;
  /** How many lines it is scrolled up from its end. */
  readonly scroll: number;
}

/** A long text from its end, wrapped. */
export function TextPane({ title, text, size: { columns, rows }, scroll }: TextPaneProps) {
  const lines = textRows(text, columns);
  const end = lines.length - Math.min(scroll, Math.max(0, lines.length - rows));
  const visible = lines.slice(Math.max(0, end - rows), end);
  return (
    <box flexDirection="column" flexGrow={1}>
      <LineView line={[span(title, "accent", { isBold: true })]} />
      <LinesView lines={visible.map((line) => [span(line)])} rows={rows} />
    </box>
  );
}
