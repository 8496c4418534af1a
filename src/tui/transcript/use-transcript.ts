import { flushSync } from "@opentui/react";
import { useMemo, useRef } from "react";
import { messageOf } from "../../contracts/index.ts";
import type { ChangedLine } from "../../view/index.ts";
import { commentOn, type DiffComments, formatComments, withNeighbours } from "../chat/diff-comments.ts";
import { useChat, useKeys, useUi } from "../ui/ui-context.ts";
import { type LatestState, useLatestState } from "../ui/use-latest-state.ts";
import { exportNameOf } from "./export-name.ts";
import { copyTextOf, formatTranscript } from "./format-transcript.ts";
import { codeBlocksOf } from "./markdown-to-lines.ts";
import { nextDiff } from "./next-diff.ts";
import { type Match, searchRows } from "./search-rows.ts";
import { moveBy, moveTo, type RowSpace, rowOf, type TranscriptCursor } from "./transcript-cursor.ts";
import { actionOf, type TranscriptAction } from "./transcript-keys.ts";
import { memoryOf } from "./transcript-memory.ts";
import { followRow, type TranscriptRow } from "./transcript-rows.ts";
import { OPENED, search, startSearch, stepMatch, type TranscriptState } from "./transcript-state.ts";
import { useTranscriptRows } from "./use-transcript-rows.ts";

/** Further presses of the key within this time after one are not another export, in milliseconds. */
const EXPORT_PAUSE_MS = 1_000;

/** What the transcript view shows, and what its input calls. */
export interface TranscriptControls {
  readonly state: TranscriptState;
  readonly rows: readonly TranscriptRow[];
  readonly matches: readonly Match[];
  readonly comments: DiffComments;
  readonly space: RowSpace;
  /** The text of the input changed, while searching. */
  readonly onSearch: (query: string) => void;
  /** The text of the input was submitted. */
  readonly onSubmit: (text: string) => void;
  /** Puts the cursor on a row. */
  readonly onPoint: (row: number) => void;
  readonly onScroll: (delta: number) => void;
}

/** The cursor stays on the row, also if that is the last one and the comment follows it. */
function startComment(state: TranscriptState, row: number, line: ChangedLine): TranscriptState {
  return { ...state, cursor: { ...state.cursor, row }, mode: { type: "commenting", line } };
}

/** The transcript view: its rows, its cursor, its search and its keys. */
export function useTranscript({
  columns,
  height,
}: {
  readonly columns: number;
  readonly height: number;
}): TranscriptControls {
  const { chat, keymap } = useUi();
  const { rows, comments } = useTranscriptRows(columns);
  // Several keys can arrive before the next render: handlers read the state as it is by then.
  const { shown: state, current, set } = useLatestState<TranscriptState>(OPENED);
  useFollowedRow(rows, { current, set });
  const matches = useMemo(() => searchRows(rows, state.query), [rows, state.query]);
  const matchesOf = ({ query }: TranscriptState): readonly Match[] =>
    query === state.query ? matches : searchRows(rows, query);
  const space = { rowCount: rows.length, height };
  const act = useActions({ rows, current });
  const change = (next: (state: TranscriptState) => TranscriptState): void => set(next(current()));
  const apply = (action: TranscriptAction): void => {
    switch (action.type) {
      case "move":
        return change((now) => ({ ...now, cursor: moveBy(now.cursor, action.delta, space) }));
      case "jump":
        return change((now) => ({
          ...now,
          cursor: moveTo(now.cursor, action.to === "start" ? 0 : rows.length, space),
        }));
      case "match":
        return change((now) => stepMatch(now, action.delta, { matches: matchesOf(now), space }));
      case "change":
        return change((now) => ({ ...now, cursor: toDiff(now.cursor, action.delta, { rows, space }) }));
      case "search":
        // The input exists before the next key arrives.
        return flushSync(() => change((now) => startSearch(now, space)));
      case "comment": {
        const row = rowOf(current().cursor, space);
        const line = rows[row]?.line.change;
        if (line === undefined) return act(action);
        return flushSync(() => change((now) => startComment(now, row, line)));
      }
      default:
        return act(action);
    }
  };
  const read = (query: string): void =>
    flushSync(() => change((now) => ({ ...now, mode: { type: "reading" }, query })));
  useKeys(
    (key) => {
      const { mode } = current();
      if (mode.type === "reading") {
        const action = actionOf(key, keymap, space);
        if (action !== undefined) apply(action);
        return action !== undefined;
      }
      if (keymap.matches("stop", key)) read("");
      else if (mode.type === "searching" && keymap.matches("previous", key)) apply({ type: "match", delta: -1 });
      else if (mode.type === "searching" && keymap.matches("next", key)) apply({ type: "match", delta: 1 });
      else return false;
      return true;
    },
    { isModal: state.mode.type !== "reading" },
  );
  return {
    ...{ state, rows, matches, comments, space },
    onSearch: (query) => change((now) => search(now, query, { matches: searchRows(rows, query), space })),
    onSubmit: (text) => {
      const { mode, query } = current();
      if (mode.type === "commenting") {
        // The comments between the lines of a diff are none of its lines.
        const lines = rows.filter(({ commentId }) => commentId === undefined).map(({ line }) => line.change);
        memoryOf(chat).comments.write(withNeighbours(mode.line, lines), text);
      }
      read(query);
    },
    onPoint: (row) => change((now) => ({ ...now, cursor: moveTo(now.cursor, row, space) })),
    onScroll: (delta) => apply({ type: "move", delta }),
  };
}

/** Keeps the cursor on its line when rows are added or removed above it. */
function useFollowedRow(
  rows: readonly TranscriptRow[],
  { current, set }: Pick<LatestState<TranscriptState>, "current" | "set">,
): void {
  const before = useRef(rows);
  if (before.current === rows) return;
  const state = current();
  const cursor = followRow(state.cursor, { from: before.current, to: rows });
  before.current = rows;
  if (cursor !== state.cursor) set({ ...state, cursor });
}

/** The cursor on the first line of the next diff, or where it is when there is none. */
function toDiff(
  cursor: TranscriptCursor,
  delta: 1 | -1,
  { rows, space }: { readonly rows: readonly TranscriptRow[]; readonly space: RowSpace },
): TranscriptCursor {
  const row = nextDiff(rows, { from: rowOf(cursor, space), delta });
  return row === undefined ? cursor : moveTo(cursor, row, space);
}

/** What leaves the view or changes something outside of it. */
function useActions({
  rows,
  current,
}: {
  readonly rows: readonly TranscriptRow[];
  readonly current: () => TranscriptState;
}) {
  const { chat, ui, host, copy, now } = useUi();
  const { model, title, agentType, modelName, compactionSummary } = useChat();
  const store = memoryOf(chat).comments;
  const isSending = useRef(false);
  const exportedAt = useRef(Number.NEGATIVE_INFINITY);
  const fail = (what: string) => (error: unknown) => chat.notice(`${what} ${messageOf(error)}`, { tone: "error" });
  return (action: TranscriptAction): void => {
    switch (action.type) {
      case "leave":
        return ui.show({ type: "chat" });
      case "copy":
        return ui.flash(copyRow(rows[rowOf(current().cursor, { rowCount: rows.length, height: 1 })], copy));
      case "comment":
        return ui.flash(
          nextDiff(rows, { from: -1, delta: 1 }) === undefined
            ? "Comments are for the lines of a diff, and this conversation has none."
            : "Comments are for the lines of a diff. Press tab for the next one.",
        );
      case "send": {
        if (store.snapshot().comments.length === 0)
          return ui.flash("There is no comment to send. Press c on a line of a diff.");
        // Files are read first, and meanwhile the key can be pressed again.
        if (isSending.current) return;
        isSending.current = true;
        const send = async (): Promise<void> => {
          const contents = host.readFile === undefined ? undefined : await store.check(host.readFile);
          const text = formatComments(store.snapshot(), contents);
          chat.send(text, [], store.startSending());
          ui.show({ type: "chat" });
        };
        return void send()
          .catch(fail("The comments were not sent."))
          .finally(() => {
            isSending.current = false;
          });
      }
      case "export": {
        if (host.writeExport === undefined) return ui.flash("This program cannot write files.");
        // A held key, or text that was meant for a comment, is one export.
        const isRepeated = now() - exportedAt.current < EXPORT_PAUSE_MS;
        exportedAt.current = now();
        if (isRepeated) return;
        const { workingDirectory } = host;
        const text = formatTranscript(model.entries, {
          title,
          agentType,
          modelName,
          compactionSummary,
          workingDirectory,
        });
        return void host
          .writeExport(exportNameOf({ title, model }, now()), text)
          .then((path) => ui.flash(`Wrote ${path}`))
          .catch(fail("The conversation was not exported."));
      }
    }
  };
}

/** Copies the code block or the message of a row. Returns what was copied, for the person. */
function copyRow(row: TranscriptRow | undefined, copy: (text: string) => void): string {
  const { entry, line } = row ?? {};
  if (entry === undefined) return "There is no message here to copy.";
  const text = copyTextOf(entry);
  const block = line?.codeBlock === undefined ? undefined : codeBlocksOf(text)[line.codeBlock];
  copy(block ?? text);
  return block === undefined ? "Copied the message." : "Copied the code block.";
}

/** The comment that the input starts with. */
export function draftOf({ mode }: TranscriptState, comments: DiffComments): string {
  return mode.type === "commenting" ? (commentOn(comments, mode.line)?.text ?? "") : "";
}
