import { columnsOf, padColumns, safeLine } from "../../view/index.ts";
import { commentOn } from "../chat/diff-comments.ts";
import type { ShownColor } from "../theme/shown-theme.ts";
import { TextField } from "../ui/text-field.tsx";
import { useTheme, useUi } from "../ui/ui-context.ts";
import { type CommentPlace, type CommentState, cursorPlace } from "./permission-comments.ts";
import type { PermissionLine } from "./permission-lines.ts";
import type { RequestPage } from "./request-page.ts";
import { TextLine } from "./text-line.tsx";

/** Properties of {@link RequestRows}. */
export interface RequestRowsProps {
  readonly page: RequestPage;
  readonly lines: readonly PermissionLine[];
  /** The lines that can have comments. */
  readonly places: readonly CommentPlace[];
  readonly comments: CommentState;
  readonly columns: number;
  /** Receives the comment that is being written. */
  readonly onInput: (draft: string) => void;
}

/** The visible part of a request, and a row about the rest of it or about the comment on the line of the cursor. */
export function RequestRows({ page, lines, places, comments, columns, onInput }: RequestRowsProps) {
  const { glyphs } = useUi();
  const place = cursorPlace(places, comments);
  // The first row of a line has the mark.
  const marks = new Map(
    places.flatMap(({ row, change }) => {
      const comment = commentOn(comments.comments, change);
      return row === place?.row ? [[row, glyphs.pointer]] : comment === undefined ? [] : [[row, glyphs.bullet]];
    }),
  );
  return (
    <>
      {lines.slice(page.offset, page.offset + page.room).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
        <RequestLine key={index} line={line} mark={marks.get(page.offset + index)} columns={columns} />
      ))}
      {place === undefined ? (
        <Remaining page={page} columns={columns} canComment={places.length > 0} />
      ) : (
        <CommentLine {...{ place, state: comments, columns }} onInput={onInput} />
      )}
    </>
  );
}

interface RequestLineProps {
  readonly line: PermissionLine;
  /** A sign in the place of its first column. */
  readonly mark: string | undefined;
  readonly columns: number;
}

function RequestLine({ line: { tone, text }, mark, columns }: RequestLineProps) {
  const { colors } = useTheme();
  const looks: Readonly<Record<PermissionLine["tone"], readonly [fg: ShownColor, bg: ShownColor]>> = {
    fact: [colors.muted, colors.background],
    agent: [colors.foreground, colors.background],
    added: [colors.foreground, colors.addedLine],
    removed: [colors.foreground, colors.removedLine],
    warning: [colors.warning, colors.background],
  };
  const [fg, bg] = looks[tone];
  return (
    <text wrapMode="none" height={1} fg={fg} bg={bg}>
      {padColumns(mark === undefined ? text : mark + text.slice(1), columns)}
    </text>
  );
}

interface RemainingProps {
  readonly page: RequestPage;
  readonly columns: number;
  /** Whether it shows lines of files. */
  readonly canComment: boolean;
}

/** How much of the request is below, and how to comment on it; an empty row when all of it is shown. */
function Remaining({ page, columns, canComment }: RemainingProps) {
  const { keymap } = useUi();
  const { left, isLast, isShort, canShow } = page;
  if (!canShow) return <TextLine tone="warning" text="Enlarge the window for yes." />;
  const lines = `${left} more ${left === 1 ? "line" : "lines"} (${keymap.labelOf("pageDown")})`;
  const rest = isShort
    ? ""
    : left === 0
      ? `the end (${keymap.labelOf("pageUp")})`
      : isLast
        ? lines
        : `${lines}, then yes`;
  const both = [rest, canComment ? "c comments on a line" : ""].filter((text) => text !== "").join(", ");
  const text = columnsOf(both) <= columns ? both : rest;
  return <TextLine tone={isShort || left === 0 || isLast ? "muted" : "warning"} text={text} />;
}

interface CommentLineProps {
  readonly place: CommentPlace;
  readonly state: CommentState;
  readonly columns: number;
  readonly onInput: (draft: string) => void;
}

/** The comment on the line of the cursor: to read or to write. */
function CommentLine({ place: { change }, state: { comments, draft }, columns, onInput }: CommentLineProps) {
  if (draft !== undefined) {
    const label = change.number === undefined ? "Comment: " : `Comment on line ${change.number}: `;
    return <TextField label={label} value={draft} onInput={onInput} />;
  }
  const comment = commentOn(comments, change);
  if (comment !== undefined) return <TextLine tone="accent" text={safeLine(comment.text, columns)} />;
  return <TextLine tone="muted" text={safeLine("up and down choose a line, enter writes", columns)} />;
}
