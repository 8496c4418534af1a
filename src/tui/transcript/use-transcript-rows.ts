import { useMemo, useSyncExternalStore } from "react";
import { checkLine, type DiffComment, type DiffComments } from "../chat/diff-comments.ts";
import { useChat, useUi } from "../ui/ui-context.ts";
import { isStillShown } from "./is-still-shown.ts";
import { memoryOf } from "./transcript-memory.ts";
import { RowMaker, type TranscriptRow } from "./transcript-rows.ts";

/** The rows of the transcript view, and the comments that are in them. */
export interface TranscriptRows {
  readonly rows: readonly TranscriptRow[];
  readonly comments: DiffComments;
}

/** The rows of the whole conversation in a width. */
export function useTranscriptRows(columns: number): TranscriptRows {
  const { chat, glyphs, host, now } = useUi();
  const { model, compactionSummary } = useChat();
  const { entries } = model;
  const { workingDirectory } = host;
  const store = memoryOf(chat).comments;
  const comments = useSyncExternalStore(store.subscribe, store.snapshot);
  const contents = useSyncExternalStore(store.subscribe, store.contents);
  const maker = useMemo(() => new RowMaker({ columns, glyphs, workingDirectory }), [columns, glyphs, workingDirectory]);
  const rows = useMemo(() => {
    const isStale = ({ line }: DiffComment): boolean =>
      (contents.has(line.path) && checkLine(line, contents.get(line.path)).type === "changed") ||
      !isStillShown(line, entries);
    return maker.make(entries, { compactionSummary, comments, isStale, now: now() });
  }, [maker, entries, compactionSummary, comments, contents, now]);
  return { rows, comments };
}
