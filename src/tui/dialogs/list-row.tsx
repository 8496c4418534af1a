import { TextAttributes } from "@opentui/core";
import { columnsOf, padColumns, safeLine } from "../../view/index.ts";
import { useTheme, useUi } from "../ui/ui-context.ts";
import { useMouse } from "../ui/use-mouse.ts";
import { cutMiddle } from "./cut-middle.ts";

/** The columns of a list. */
export interface RowWidths {
  /** The whole row. */
  readonly columns: number;
  readonly label: number;
  readonly right: number;
}

/** Properties of {@link ListRow}. */
export interface ListRowProps {
  readonly widths: RowWidths;
  readonly isSelected: boolean;
  /** Loses its middle where there is no room. */
  readonly label: string;
  /** The UTF-16 units that fit the query. */
  readonly positions?: readonly number[];
  /** One dim line. Dropped where there is no room. */
  readonly detail?: string | undefined;
  /** At the right edge: an age, a mark. */
  readonly right?: string | undefined;
  readonly onClick: () => void;
}

/** Columns of the pointer before a row. */
const POINTER_COLUMNS = 2;

/** Narrower details say nothing. */
const MIN_DETAIL_COLUMNS = 8;

/** The widest label beside a detail, in columns. */
const MAX_LABEL_COLUMNS = 32;

/** The columns of rows: labels aligned, the right edge as wide as needed. */
export function rowWidths(
  rows: readonly {
    readonly label: string;
    readonly detail?: string | undefined;
    readonly right?: string | undefined;
  }[],
  columns: number,
): RowWidths {
  const widest = (texts: readonly (string | undefined)[]): number =>
    Math.max(0, ...texts.map((text) => columnsOf(text ?? "")));
  const right = widest(rows.map((row) => row.right));
  const room = columns - POINTER_COLUMNS - (right === 0 ? 0 : right + 2);
  const hasDetails = rows.some(({ detail }) => detail !== undefined && detail !== "");
  const label = Math.min(widest(rows.map((row) => row.label)), hasDetails ? MAX_LABEL_COLUMNS : room);
  return { columns, right, label: Math.min(room, label) };
}

/** A row of a list: the pointer, the label with its matches underlined, a dim detail, and the right edge. */
export function ListRow({ widths, isSelected, label, positions = [], detail = "", right = "", onClick }: ListRowProps) {
  const mouse = useMouse();
  const { colors } = useTheme();
  const { glyphs } = useUi();
  const { text: shown, placeOf } = cutMiddle(safeLine(label, Number.POSITIVE_INFINITY), widths.label);
  const matches = positions.flatMap((at) => placeOf(at) ?? []);
  const room = widths.columns - POINTER_COLUMNS - widths.label - 2 - (widths.right === 0 ? 0 : widths.right + 2);
  const shownDetail = room < MIN_DETAIL_COLUMNS ? "" : safeLine(detail, room);
  const used = POINTER_COLUMNS + widths.label + 2 + columnsOf(shownDetail);
  const gap = Math.max(0, widths.columns - used - columnsOf(right));
  const attributes = isSelected ? TextAttributes.BOLD : TextAttributes.NONE;
  return (
    <text
      wrapMode="none"
      height={1}
      fg={isSelected ? colors.accent : colors.foreground}
      bg={isSelected ? colors.selection : colors.background}
      {...mouse.click(onClick)}
    >
      {isSelected ? `${glyphs.pointer} ` : "  "}
      {splitMatches(shown, matches).map(({ text, isMatch, at }) => (
        <span key={at} attributes={isMatch ? attributes | TextAttributes.UNDERLINE : attributes}>
          {text}
        </span>
      ))}
      {padColumns("", widths.label - columnsOf(shown) + 2)}
      <span fg={isSelected ? colors.foreground : colors.muted}>
        {shownDetail}
        {" ".repeat(gap)}
        {right}
      </span>
    </text>
  );
}

/** A text in parts that fit the query and parts that do not. */
export function splitMatches(
  text: string,
  positions: readonly number[],
): readonly { readonly text: string; readonly isMatch: boolean; readonly at: number }[] {
  const matched = new Set(positions);
  const parts: { text: string; isMatch: boolean; at: number }[] = [];
  for (let at = 0; at < text.length; at++) {
    const isMatch = matched.has(at);
    const last = parts.at(-1);
    if (last?.isMatch === isMatch) last.text += text[at];
    else parts.push({ text: text[at] ?? "", isMatch, at });
  }
  return parts;
}
