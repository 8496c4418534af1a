import { bg, bold, fg, italic, StyledText, type TextChunk, underline } from "@opentui/core";
import type { ShownColor, ShownColors, ShownTheme } from "../theme/shown-theme.ts";
import { type LineTone, splitMarks, type TranscriptLine } from "./transcript-line.ts";

/** The colour of a tone's text. */
export function colorOf(tone: LineTone, { colors, syntax }: ShownTheme): ShownColor {
  const byTone: Readonly<Record<LineTone, ShownColor>> = {
    text: colors.foreground,
    user: colors.userMessage,
    muted: colors.muted,
    accent: colors.accent,
    success: colors.success,
    warning: colors.warning,
    error: colors.error,
    added: colors.foreground,
    removed: colors.foreground,
    heading: colors.accent,
    code: syntax.string,
  };
  return byTone[tone];
}

/** The background of a tone. Undefined for that of the screen. */
export function backgroundOf(tone: LineTone, colors: ShownColors): ShownColor | undefined {
  return tone === "added" ? colors.addedLine : tone === "removed" ? colors.removedLine : undefined;
}

/** A part of a line's text with its colour and its marks: bold, italic, code, links. */
export function styleMarks(
  line: TranscriptLine,
  theme: ShownTheme,
  range: { readonly start: number; readonly end: number },
): readonly TextChunk[] {
  const { tone } = line;
  return splitMarks(line, range).map(({ text, tones }) => {
    let chunk = fg(tones.includes("code") ? theme.syntax.string : colorOf(tone, theme))(text);
    if (tone === "heading" || tones.includes("strong")) chunk = bold(chunk);
    if (tones.includes("emphasis")) chunk = italic(chunk);
    return tones.includes("link") ? underline(chunk) : chunk;
  });
}

/** A line as text with colours. The background of a changed line starts after its indentation. */
export function styleLine(line: TranscriptLine, theme: ShownTheme): readonly TextChunk[] {
  const { text, tone } = line;
  const background = backgroundOf(tone, theme.colors);
  if (background === undefined) return styleMarks(line, theme, { start: 0, end: text.length });
  const color = fg(colorOf(tone, theme));
  const content = text.trimStart();
  // The number of a line is aligned with spaces that belong to it.
  const indent = Math.min(text.length - content.length, 4);
  return [color(text.slice(0, indent)), bg(background)(color(text.slice(indent)))];
}

/** Lines as one text with colours. */
export function styleLines(lines: readonly TranscriptLine[], theme: ShownTheme): StyledText {
  return new StyledText(
    lines.flatMap((line, index) => [
      ...(index === 0 ? [] : [fg(theme.colors.foreground)("\n")]),
      ...styleLine(line, theme),
    ]),
  );
}
