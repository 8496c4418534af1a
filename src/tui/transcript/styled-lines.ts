import { bg, bold, fg, StyledText, type TextChunk } from "@opentui/core";
import type { Theme, ThemeColor, ThemeColors } from "../theme/theme.ts";
import type { LineTone, TranscriptLine } from "./transcript-line.ts";

/** The colour of a tone's text. */
export function colorOf(tone: LineTone, { colors, syntax }: Theme): ThemeColor {
  const byTone: Readonly<Record<LineTone, ThemeColor>> = {
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
export function backgroundOf(tone: LineTone, colors: ThemeColors): ThemeColor | undefined {
  return tone === "added" ? colors.addedLine : tone === "removed" ? colors.removedLine : undefined;
}

/** A line as text with colours. The background of a changed line starts after its indentation. */
export function styleLine({ text, tone }: TranscriptLine, theme: Theme): readonly TextChunk[] {
  const background = backgroundOf(tone, theme.colors);
  const color = fg(colorOf(tone, theme));
  if (background === undefined) return [tone === "heading" ? bold(color(text)) : color(text)];
  const content = text.trimStart();
  // The number of a line is aligned with spaces that belong to it.
  const indent = Math.min(text.length - content.length, 4);
  return [color(text.slice(0, indent)), bg(background)(color(text.slice(indent)))];
}

/** Lines as one text with colours. */
export function styleLines(lines: readonly TranscriptLine[], theme: Theme): StyledText {
  return new StyledText(
    lines.flatMap((line, index) => [
      ...(index === 0 ? [] : [fg(theme.colors.foreground)("\n")]),
      ...styleLine(line, theme),
    ]),
  );
}
