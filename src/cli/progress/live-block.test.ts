import { expect, test } from "bun:test";
import { renderScreen } from "../fixtures/screen.ts";
import { TextStream } from "../fixtures/text-stream.ts";
import { LiveBlock } from "./live-block.ts";

function open(): { readonly output: TextStream; readonly block: LiveBlock } {
  const output = new TextStream({ isTTY: true, columns: 40, rows: 10 });
  output.write("before\n");
  return { output, block: new LiveBlock(output) };
}

test("a frame takes the place of the one before, also of a longer one", () => {
  const { output, block } = open();
  block.draw(["one", "two", "three"]);
  expect(renderScreen(output.text)).toEqual(["before", "one", "two", "three"]);
  block.draw(["four"]);
  expect(renderScreen(output.text)).toEqual(["before", "four"]);
});

test("keys that the terminal echoes leave no trace", () => {
  const { output, block } = open();
  block.draw(["one", "two"]);
  output.write("abc\n");
  block.draw(["three", "four"]);
  output.write("^C");
  expect(renderScreen(output.text)).toEqual(["before", "^Cree", "four"]);
  block.clear();
  expect(renderScreen(output.text)).toEqual(["before"]);
});

test("after a change of the size the place where the terminal has put the cursor counts, not the saved one", () => {
  const { output, block } = open();
  block.draw(["one", "two"]);
  output.columns = 20;
  const before = output.text.length;
  block.draw(["three"]);
  expect(output.text.slice(before)).toBe("\u001b[?2026h\u001b[G\u001b[Jthree\n\u001b[1A\u001b7\u001b[?2026l");
  output.rows = 5;
  const between = output.text.length;
  block.clear();
  expect(output.text.slice(between)).toBe("\u001b[G\u001b[J\u001b[?25h");
});

test("the cursor is hidden from the first frame until the lines are taken away, which may be repeated", () => {
  const { output, block } = open();
  block.clear();
  block.draw(["one"]);
  block.draw(["two"]);
  block.clear();
  block.clear();
  expect(output.text.match(/\?25[lh]/g)).toEqual(["?25l", "?25h"]);
});
