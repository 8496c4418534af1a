import { CodeRenderable, type MarkdownOptions } from "@opentui/core";
import { memo, useMemo, useState } from "react";
import { useTheme, useUi } from "../ui/ui-context.ts";
import { OpenFences } from "./open-fences.ts";
import { prepareMarkdown } from "./prepare-markdown.ts";
import { SafeMarkdown } from "./safe-markdown.ts";
import { syntaxStyleOf } from "./syntax-style.ts";

/** Properties of {@link MarkdownView}. */
export interface MarkdownViewProps {
  readonly text: string;
  readonly isStreaming: boolean;
}

/** More than an agent writes to a person. What is longer is a listing, of which the transcript view shows all. */
const MAX_LINES = 600;
const MAX_CHARACTERS = 60_000;

/** Markdown of an agent, with highlighted code, tables and links that show their target. */
export const MarkdownView = memo(function MarkdownView({ text, isStreaming }: MarkdownViewProps) {
  const theme = useTheme();
  const { glyphs, keymap } = useUi();
  const [fences] = useState(() => new OpenFences());
  const { content, hidden } = useMemo(() => {
    const options = { maxLines: MAX_LINES, maxCharacters: MAX_CHARACTERS, glyphs };
    const prepared = prepareMarkdown(text, options, fences);
    return { content: prepared.lines.join("\n"), hidden: prepared.hidden };
  }, [text, glyphs, fences]);
  // Text that is complete when it is mounted is drawn at once, and coloured when the worker has answered: with
  // `streaming={false}` it is blank meanwhile. In the mode `top-level` its lines are the same before and after.
  const [wasStreaming] = useState(isStreaming);
  const { colors } = theme;
  return (
    <box flexDirection="column" flexShrink={0}>
      {hidden === undefined ? undefined : (
        <text
          fg={colors.muted}
        >{`${glyphs.ellipsis} ${hidden} before, ${keymap.labelOf("transcript")} shows all`}</text>
      )}
      <SafeMarkdown
        content={content}
        syntaxStyle={syntaxStyleOf(theme)}
        streaming={isStreaming || !wasStreaming}
        {...(wasStreaming ? {} : { renderNode: drawCodeAtOnce })}
        internalBlockMode="top-level"
        conceal
        fg={colors.assistantMessage}
        tableOptions={TABLE_OPTIONS}
      />
    </box>
  );
});

/** Code blocks of Markdown that streams are blank until the worker has answered, unless they are set to be drawn. */
const drawCodeAtOnce: NonNullable<MarkdownOptions["renderNode"]> = (token, { defaultRender }) => {
  if (token.type !== "code") return;
  const block = defaultRender();
  if (block instanceof CodeRenderable) block.drawUnstyledText = true;
  return block;
};

const TABLE_OPTIONS = { style: "columns", wrapMode: "word", columnFitter: "balanced" } as const;
