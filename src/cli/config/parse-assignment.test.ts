import { expect, test } from "bun:test";
import { kindOf, parseAssignments, parseValue, parseYesOrNo } from "./parse-assignment.ts";

test("the first equals sign separates a name from its value", () => {
  expect([...parseAssignments(["a=1", "b=x=y", "c="], "--input NAME=VALUE")]).toEqual([
    ["a", "1"],
    ["b", "x=y"],
    ["c", ""],
  ]);
});

test.each(["topic", "=x", ""])('"%s" sets nothing', (text) => {
  expect(() => parseAssignments([text], "--input NAME=VALUE")).toThrow(
    `"${text}" sets nothing. Write --input NAME=VALUE.`,
  );
});

test("a name that is set twice is rejected; neither value is dropped", () => {
  expect(() => parseAssignments(["a=1", "b=2", "a=3"], "--set FIELD=VALUE")).toThrow(
    '"a" is set twice. Omit one of them.',
  );
});

class Board {}

test.each([
  { standard: undefined, kind: "text", text: "5", parsed: { value: "5" } },
  { standard: "", kind: "text", text: '"5"', parsed: { value: '"5"' } },
  { standard: false, kind: "yes or no", text: "Yes", parsed: { value: true } },
  { standard: 1, kind: "number", text: "-2.5", parsed: { value: -2.5 } },
  {
    standard: 1,
    kind: "number",
    text: "1e999",
    parsed: { problem: 'The input "it" must be a number, not "1e999".' },
  },
  { standard: null, kind: "JSON", text: "[1]", parsed: { value: [1] } },
  { standard: null, kind: "JSON", text: "null", parsed: { value: null } },
  { standard: ["a"], kind: "JSON list", text: "[1]", parsed: { value: [1] } },
  {
    standard: [],
    kind: "JSON list",
    text: "null",
    parsed: { problem: `The input "it" must be a list. Write it as JSON, for example it='["a", "b"]'.` },
  },
  { standard: {}, kind: "JSON object", text: '{"a": null}', parsed: { value: { a: null } } },
  { standard: Object.create(null), kind: "JSON object", text: "{}", parsed: { value: {} } },
  {
    standard: {},
    kind: "JSON object",
    text: "{a: 1}",
    parsed: { problem: `The input "it" must be an object. Write it as JSON, for example it='{"a": 1}'.` },
  },
  {
    standard: null,
    kind: "JSON",
    text: "1e400",
    parsed: { problem: 'The input "it" was rejected: a number in it is too large.' },
  },
  {
    standard: {},
    kind: "JSON object",
    text: '{"a":[-1e400]}',
    parsed: { problem: 'The input "it" was rejected: a number in it is too large.' },
  },
  {
    standard: new Map(),
    kind: "Map",
    text: "[]",
    parsed: { problem: 'The input "it" must be a Map, which JSON cannot represent.' },
  },
  {
    standard: new Board(),
    kind: "Board",
    text: "{}",
    parsed: { problem: 'The input "it" must be a Board, which JSON cannot represent.' },
  },
  {
    standard: 1n,
    kind: "bigint",
    text: "2",
    parsed: { problem: 'The input "it" must be a bigint, which JSON cannot represent.' },
  },
])("$text in place of a value of the kind $kind", ({ standard, kind, text, parsed }) => {
  expect(kindOf(standard)).toBe(kind);
  expect(parseValue(text, { noun: "input", name: "it", standard })).toEqual(parsed);
});

test.each([
  { word: "yes", value: true },
  { word: "True", value: true },
  { word: " no ", value: false },
  { word: "FALSE", value: false },
  { word: "maybe", value: undefined },
  { word: "1", value: undefined },
])("the word $word is $value", ({ word, value }) => {
  expect(parseYesOrNo(word)).toBe(value);
});
