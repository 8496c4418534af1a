import type { ThemeColor, ThemeColors } from "../theme/theme.ts";
import { useTheme } from "../ui/ui-context.ts";
import type { Line, Tone } from "./line.ts";

/** The colour of a tone. */
export function colorOf(tone: Tone, colors: ThemeColors): ThemeColor {
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
  const { colors } = useTheme();
  return (
    <text height={1} flexShrink={0} wrapMode="none" {...(isSelected ? { bg: colors.selection } : {})}>
      {line.map(({ text, tone, isBold = false }, index) => {
        const part = (
          // The parts of a line have no other identity.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <span key={index} fg={colorOf(tone, colors)}>
            {isBold ? <b>{text}</b> : text}
          </span>
        );
        return part;
      })}
    </text>
  );
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
