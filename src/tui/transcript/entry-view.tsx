import { memo, useMemo, useSyncExternalStore } from "react";
import type { ChatEntry } from "../chat/chat-entry.ts";
import { useTheme, useUi } from "../ui/ui-context.ts";
import { CardView } from "./card-view.tsx";
import { isCard } from "./describe-entry.ts";
import { entryToLines } from "./entry-to-lines.ts";
import { MarkdownView } from "./markdown-view.tsx";
import { styleLines } from "./styled-lines.ts";
import { memoryOf } from "./transcript-memory.ts";

/** Properties of {@link EntryView}. */
export interface EntryViewProps {
  readonly entry: ChatEntry;
  readonly columns: number;
  /** Whether an empty line is above it. */
  readonly hasGap: boolean;
  /** Whether its sign moves while it is in progress. */
  readonly hasSpinner: boolean;
}

/** An entry of the conversation. Renders again only when the entry changes. */
export const EntryView = memo(function EntryView({ entry, columns, hasGap, hasSpinner }: EntryViewProps) {
  const { chat } = useUi();
  const { folds } = memoryOf(chat);
  const isOpen = useSyncExternalStore(folds.subscribe, () => folds.isOpen(entry));
  return (
    <box flexDirection="column" flexShrink={0} marginTop={hasGap ? 1 : 0}>
      {isCard(entry) ? (
        <CardView
          entry={entry}
          columns={columns}
          isOpen={isOpen}
          hasSpinner={hasSpinner}
          onToggle={(card) => folds.toggle(card)}
        />
      ) : entry.type === "text" ? (
        <MarkdownView text={entry.text} isStreaming={entry.isStreaming} />
      ) : entry.type === "notice" && entry.isMarkdown ? (
        <MarkdownView text={entry.text} isStreaming={false} />
      ) : (
        <LinesView entry={entry} columns={columns} />
      )}
    </box>
  );
});

function LinesView({ entry, columns }: Pick<EntryViewProps, "entry" | "columns">) {
  const theme = useTheme();
  const { glyphs } = useUi();
  const content = useMemo(
    () => styleLines(entryToLines(entry, { columns, glyphs }), theme),
    [entry, columns, glyphs, theme],
  );
  return <text wrapMode="none" flexShrink={0} content={content} />;
}
