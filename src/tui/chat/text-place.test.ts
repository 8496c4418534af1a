import { expect, test } from "bun:test";
import type { TextPlace } from "../../contracts/index.ts";
import { findPlace } from "./text-place.ts";

const CONTENT = "1\n2\n3\n4\n5 five\n6\n7\n8\n9\n";

test.each<{ title: string; content?: string; text: string; place: TextPlace | undefined }>([
  { title: "in a line", text: "five", place: { line: 2, before: "2\n3\n4\n5 ", after: "\n6\n7\n8" } },
  { title: "a whole line", text: "5 five\n", place: { line: 2, before: "2\n3\n4\n", after: "6\n7\n8" } },
  { title: "several lines", text: "4\n5 five\n6", place: { line: 1, before: "1\n2\n3\n", after: "\n7\n8\n9" } },
  { title: "the first line", text: "1\n2", place: { line: 1, before: "", after: "\n3\n4\n5 five" } },
  { title: "the second line", text: "2", place: { line: 1, before: "1\n", after: "\n3\n4\n5 five" } },
  { title: "below an empty line", content: "\n\nx", text: "x", place: { line: 1, before: "\n\n", after: "" } },
  { title: "the end", text: "8\n9\n", place: { line: 5, before: "5 five\n6\n7\n", after: "" } },
  { title: "the whole file", content: "a", text: "a", place: { line: 1, before: "", after: "" } },
  { title: "no text", text: "", place: undefined },
  { title: "a text that is not there", text: "ten", place: undefined },
  { title: "a text that is there twice", content: "aa\nb\naa", text: "aa", place: undefined },
  { title: "places that overlap", content: "aaa", text: "aa", place: undefined },
  { title: "a very long line", content: `${"x".repeat(2_001)}y`, text: "y", place: undefined },
])("the place of a text has three lines on both sides: $title", ({ content = CONTENT, text, place }) => {
  expect(findPlace(content, text)).toEqual(place);
});
