import { getTreeSitterClient, SyntaxStyle } from "@opentui/core";
import type { ShownTheme } from "../theme/shown-theme.ts";

const STYLES = new WeakMap<ShownTheme, SyntaxStyle>();

/** The colours of Markdown and of code in a theme. One for each theme: it is native memory. */
export function syntaxStyleOf(theme: ShownTheme): SyntaxStyle {
  const known = STYLES.get(theme);
  if (known !== undefined) return known;
  const style = createStyle(theme);
  STYLES.set(theme, style);
  return style;
}

function createStyle({ colors, syntax }: ShownTheme): SyntaxStyle {
  return SyntaxStyle.fromStyles({
    default: { fg: colors.assistantMessage },
    keyword: { fg: syntax.keyword },
    "keyword.import": { fg: syntax.keyword },
    string: { fg: syntax.string },
    number: { fg: syntax.number },
    boolean: { fg: syntax.number },
    constant: { fg: syntax.number },
    comment: { fg: syntax.comment, italic: true },
    function: { fg: syntax.function },
    "function.call": { fg: syntax.function },
    "function.method": { fg: syntax.function },
    constructor: { fg: syntax.type },
    type: { fg: syntax.type },
    property: { fg: colors.assistantMessage },
    variable: { fg: colors.assistantMessage },
    operator: { fg: colors.muted },
    punctuation: { fg: colors.muted },
    conceal: { fg: colors.border },
    "markup.heading": { fg: colors.accent, bold: true },
    "markup.strong": { fg: colors.assistantMessage, bold: true },
    "markup.italic": { fg: colors.assistantMessage, italic: true },
    "markup.strikethrough": { fg: colors.muted },
    "markup.list": { fg: colors.accent },
    "markup.quote": { fg: colors.muted, italic: true },
    "markup.raw": { fg: syntax.string },
    "markup.raw.block": { fg: colors.assistantMessage },
    "markup.link": { fg: colors.muted },
    "markup.link.label": { fg: colors.accent, underline: true },
    "markup.link.url": { fg: colors.muted, underline: true },
  });
}

/** Languages whose grammars are part of OpenTUI. */
const PRELOADED = ["markdown", "markdown_inline", "typescript", "javascript"];

/** Settings of {@link prepareHighlighting}. */
export interface HighlightingOptions {
  /** Where OpenTUI keeps grammars. Only the first call of a process can choose it. @default `opentui` in the user's data folder */
  readonly cacheDirectory?: string;
}

/** Starts the worker that highlights Markdown and code, so that the first message does not wait for it. */
export async function prepareHighlighting({ cacheDirectory }: HighlightingOptions = {}): Promise<void> {
  const client = getTreeSitterClient();
  if (cacheDirectory !== undefined) await client.setDataPath(cacheDirectory);
  await client.initialize();
  await Promise.allSettled(PRELOADED.map((language) => client.preloadParser(language)));
}
