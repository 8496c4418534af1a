import { expect, test } from "bun:test";
import { NO_COMMENTS } from "../chat/diff-comments.ts";
import { UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { user } from "./fixtures/entries.ts";
import { RowMaker } from "./transcript-rows.ts";

test("the whole transcript has the text that was pasted into a message", () => {
  const pastes = [{ label: "[pasted text, 2 lines]", text: "one\ntwo $&" }];
  const entry = { ...user("see [pasted text, 2 lines] now"), pastes };
  const maker = new RowMaker({ columns: 40, glyphs: UNICODE_GLYPHS, workingDirectory: "/work" });
  const about = { compactionSummary: undefined, comments: NO_COMMENTS, isStale: () => false, now: 0 };
  expect(maker.make([entry], about).map(({ line }) => line.text)).toEqual(["> see one", "  two $& now"]);
});
