import { bg, bold, fg, type TextChunk, underline } from "@opentui/core";
import { padColumns } from "../../view/index.ts";
import type { ShownTheme } from "../theme/shown-theme.ts";
import type { Match } from "./search-rows.ts";
import { backgroundOf, colorOf, styleMarks } from "./styled-lines.ts";
import type { TranscriptLine } from "./transcript-line.ts";

/** What a row shows besides its text. */
export interface RowMarks {
  readonly isCursor: boolean;
  readonly matches: readonly Match[];
  /** The match that the person is at. */
  readonly current: Match | undefined;
  /** The width to fill when it has the cursor. */
  readonly columns: number;
}

/** A row with its matches: underlined, the current one inverted. The row of the cursor has a background. */
export function styleRow(line: TranscriptLine, theme: ShownTheme, marks: RowMarks): readonly TextChunk[] {
  const { text, tone } = line;
  const { isCursor, matches, current, columns } = marks;
  const { colors } = theme;
  const whole = isCursor ? padColumns(text, columns) : text;
  const indent = Math.min(whole.length - whole.trimStart().length, 4);
  const base = backgroundOf(tone, colors);
  const background = isCursor ? colors.selection : base;
  const color = fg(colorOf(tone, theme));
  const plain = (start: number, end: number): readonly TextChunk[] => {
    // The background of a changed line starts after its indentation; that of the cursor fills the row.
    const from = isCursor || background === undefined ? start : Math.min(end, Math.max(start, indent));
    const styled = styleMarks({ ...line, text: whole }, theme, { start: from, end });
    return [
      ...(from > start ? [color(whole.slice(start, from))] : []),
      ...styled.map((chunk) => (background === undefined ? chunk : bg(background)(chunk))),
    ];
  };
  const chunks: TextChunk[] = [];
  let at = 0;
  for (const match of matches) {
    chunks.push(...plain(at, match.start));
    const found = whole.slice(match.start, match.end);
    chunks.push(
      match === current
        ? bold(bg(colors.accent)(fg(colors.background)(found)))
        : underline(bg(colors.selection)(fg(colors.accent)(found))),
    );
    at = match.end;
  }
  return [...chunks, ...plain(at, whole.length)];
}
