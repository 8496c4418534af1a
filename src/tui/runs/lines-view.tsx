import type { ReactNode } from "react";
import type { ShownColor, ShownColors } from "../theme/shown-theme.ts";
import { useTheme } from "../ui/ui-context.ts";
import type { Line, Span, Tone } from "./line.ts";

/** The colour of a tone. */
export function colorOf(tone: Tone, colors: ShownColors): ShownColor {
  return tone === "text" ? colors.foreground : colors[tone];
}

/** Properties of {@link LineView}. */
export interface LineViewProps {
  readonly line: Line;
  /** Whether it is the selected row. */
  readonly isSelected?: boolean;
}

/** One line of the screen. */
export function LineView({ line, isSelected = false }: LineViewProps) {
  const { colors, syntax } = useTheme();
  return (
    <text height={1} flexShrink={0} wrapMode="none" {...(isSelected ? { bg: colors.selection } : {})}>
      {line.map((part, index) => {
        const { tone, isCode = false } = part;
        return (
          // The parts of a line have no other identity.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <span key={index} fg={isCode ? syntax.string : colorOf(tone, colors)}>
            {withStyle(part)}
          </span>
        );
      })}
    </text>
  );
}

function withStyle({ text, isBold = false, isItalic = false, isUnderlined = false }: Span): ReactNode {
  const bold = isBold ? <b>{text}</b> : text;
  const italic = isItalic ? <i>{bold}</i> : bold;
  return isUnderlined ? <u>{italic}</u> : italic;
}

/** Lines below each other, in a pane of a fixed height. */
export function LinesView({
  lines,
  rows,
  selected,
}: {
  readonly lines: readonly Line[];
  readonly rows: number;
  readonly selected?: ReadonlySet<number>;
}) {
  // A box without rows cuts nothing off.
  if (rows <= 0) return;
  return (
    <box flexDirection="column" height={rows} flexShrink={0} overflow="hidden">
      {lines.slice(0, rows).map((line, index) => (
        // A line has no identity but its place.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <LineView key={index} line={line} isSelected={selected?.has(index) ?? false} />
      ))}
    </box>
  );
}
