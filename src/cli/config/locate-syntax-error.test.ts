import { expect, test } from "bun:test";
import { locateSyntaxError } from "./locate-syntax-error.ts";

test.each([
  { title: "a missing colon", text: '{\n  "agent": "a",\n  "model" x\n}\n', place: "line 3, column 11" },
  { title: "a missing comma", text: '{\n // c "\n "a": 1\n "b": 2\n}', place: "line 4, column 2" },
  { title: "a comma too many", text: '{"model":"a",,}', place: "line 1, column 14" },
  {
    title: "a text that is not closed, behind one that is",
    text: '{\n"m":"ok", "a":"x\n}',
    place: "line 2, column 15",
  },
  { title: "a misspelt word", text: '{\n"a": tru}', place: "line 2, column 6" },
  { title: "a name without quotes", text: '{"model": "x",\r\n\r\n   agent: "y"}', place: "line 3, column 4" },
  { title: "a bracket that closes another", text: '{ "a": [1,2 }', place: "line 1, column 13" },
  { title: "an end that is missing", text: '{\n  "a": 1\n\n', place: "line 2, column 9" },
  { title: "nothing at all", text: "", place: "line 1, column 1" },
  { title: "a mistake behind a long line", text: `{"a": "${"x".repeat(9_000)}",\n"b" 1}`, place: "line 2" },
])("the place of $title is told", ({ text, place }) => {
  expect(locateSyntaxError(text, Bun.JSONC.parse)).toBe(place);
});
