import { expect, test } from "bun:test";
import type { ChangedLine } from "../../view/index.ts";
import { editTool } from "./fixtures/entries.ts";
import { isStillShown } from "./is-still-shown.ts";

test("a later change of the conversation can remove a commented line, and put it back", () => {
  const line: ChangedLine = { path: "a.ts", text: "two", isRemoved: false };
  const first = editTool("a.ts", ["one", "two"]);
  const second = editTool("a.ts", ["two", "three"]);
  const failed = editTool("a.ts", ["two", "three"], { status: "failed" });
  expect(isStillShown(line, [first])).toBe(true);
  expect(isStillShown(line, [first, failed])).toBe(true);
  expect(isStillShown(line, [first, second])).toBe(false);
  expect(isStillShown(line, [first, second, editTool("a.ts", ["three", "two"])])).toBe(true);
  expect(isStillShown({ ...line, text: "one", isRemoved: true }, [first, second])).toBe(true);
});
