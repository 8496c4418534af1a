import { expect, test } from "bun:test";
import { NO_COMMENTS, writeComment } from "../chat/diff-comments.ts";
import { UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { editTool, user } from "./fixtures/entries.ts";
import { followRow, RowMaker } from "./transcript-rows.ts";

test("the whole transcript has the text that was pasted into a message", () => {
  const pastes = [{ label: "[pasted text, 2 lines]", text: "one\ntwo $&" }];
  const entry = { ...user("see [pasted text, 2 lines] now"), pastes };
  const maker = new RowMaker({ columns: 40, glyphs: UNICODE_GLYPHS, workingDirectory: "/work" });
  const about = { compactionSummary: undefined, comments: NO_COMMENTS, isStale: () => false, now: 0 };
  expect(maker.make([entry], about).map(({ line }) => line.text)).toEqual(["> see one", "  two $& now"]);
});

test("at another width the cursor is on the same line of a diff, or the same comment", () => {
  const long = "const first = 'a line that does not fit into a window of forty columns';";
  const entry = editTool("/work/cart.ts", [long, `${long}\nlet last = 1;`]);
  const about = { compactionSummary: undefined, isStale: () => false, now: 0 };
  const rowsIn = (columns: number, comments = NO_COMMENTS) =>
    new RowMaker({ columns, glyphs: UNICODE_GLYPHS, workingDirectory: "/work" }).make([entry], { ...about, comments });
  const textAt = (rows: ReturnType<typeof rowsIn>, text: string) =>
    rows.findIndex(({ line }) => line.text.includes(text));
  const [wide, narrow] = [rowsIn(100), rowsIn(40)];
  const cursor = { row: textAt(wide, "let last"), top: 0 };
  const row = textAt(narrow, "let last");
  expect(row).toBeGreaterThan(cursor.row);
  expect(followRow(cursor, { from: wide, to: narrow })).toEqual({ row, top: row - cursor.row });
  expect(followRow({ row, top: row - cursor.row }, { from: narrow, to: wide })).toEqual(cursor);

  const change = wide[cursor.row]?.line.change;
  if (change === undefined) throw new Error("The row shows no line of a diff.");
  const comments = writeComment(NO_COMMENTS, change, "Why 1?");
  const [wideRows, narrowRows] = [rowsIn(100, comments), rowsIn(40, comments)];
  const at = { row: textAt(wideRows, "Why 1?"), top: 0 };
  expect(followRow(at, { from: wideRows, to: narrowRows }).row).toBe(textAt(narrowRows, "Why 1?"));
});
