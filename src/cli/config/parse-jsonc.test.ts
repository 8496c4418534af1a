import { expect, test } from "bun:test";
import { parseJsonc, parseJsoncWithLines } from "./parse-jsonc.ts";

const QUOTES = "Keys and strings need double quotes.";

test.each([
  {
    title: "a missing colon",
    text: '{\n  "agent": "a",\n  "model" x\n}\n',
    message: `line 3, column 11: Unexpected "x". ${QUOTES}`,
  },
  {
    title: "a value instead of a colon",
    text: '{"apiKey" "secret"}',
    message: 'line 1, column 11: Expected ":", found a string.',
  },
  {
    title: "a missing comma",
    text: '{\n // c "\n "a": 1\n "b": 2\n}',
    message: 'line 4, column 2: Expected "," or a closing bracket, found a string.',
  },
  {
    title: "two commas",
    text: '{"model":"a",,}',
    message: 'line 1, column 14: Expected a key in double quotes, found ",".',
  },
  {
    title: "values that are nested too deep",
    text: `{\n  "agents": ${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`,
    message: `line 2, column ${'  "agents": '.length + 99 * 5 + 1}: Objects and lists are nested more than 100 deep.`,
  },
  { title: "a missing value", text: '{"a": }', message: 'line 1, column 7: Expected a value, found "}".' },
  {
    title: "an unclosed string after a closed one",
    text: '{\n"m":"ok", "a":"x\n}',
    message: "line 2, column 15: The string is not closed on its line.",
  },
  { title: "an unclosed comment", text: "{} /* x", message: "line 1, column 4: The comment is not closed." },
  { title: "a misspelled literal", text: '{\n"a": tru}', message: `line 2, column 6: Unexpected "tru". ${QUOTES}` },
  {
    title: "a key without quotes",
    text: '{"model": "x",\r\n\r\n   agent: "y"}',
    message: `line 3, column 4: Unexpected "agent". ${QUOTES}`,
  },
  { title: "single quotes", text: "{'a': 1}", message: `line 1, column 2: Unexpected "'a'". ${QUOTES}` },
  {
    title: "the wrong closing bracket",
    text: '{ "a": [1,2 }',
    message: 'line 1, column 13: Expected "," or a closing bracket, found "}".',
  },
  {
    title: "a missing closing bracket",
    text: '{\n  "a": 1\n\n',
    message: 'line 2, column 9: Expected "}", found the end of the file.',
  },
  { title: "an empty file", text: "", message: "line 1, column 1: Expected a value, found the end of the file." },
  {
    title: "a second value",
    text: "{}\n{}",
    message: 'line 2, column 1: Expected the end of the file, found "{".',
  },
  {
    title: "a Windows path",
    text: '{"a": "C:\\dir"}',
    message: "line 1, column 7: The string has an invalid escape sequence. Write a backslash as \\\\.",
  },
  {
    title: "a tab in a string",
    text: '{"a": "\t"}',
    message: "line 1, column 7: The string has a control character. Write a tab as \\t.",
  },
  { title: "an incomplete number", text: '{"a": 1.}', message: "line 1, column 7: The number is incomplete." },
  {
    title: "a mistake after a long line",
    text: `{"a": "${"x".repeat(9_000)}",\n"b" ${"y".repeat(30)}}`,
    message: `line 2, column 5: Unexpected "${"y".repeat(20)}…". ${QUOTES}`,
  },
])("a syntax error has its line, its column and a sentence: $title", async ({ text, message }) => {
  expect(await parseJsonc(text).catch((error: unknown) => error)).toEqual(new SyntaxError(message));
});

test.each(['"apiKey": hunter2', '"apiKey" hunter2', "\"GITHUB_TOKEN\": 'hunter2'", '"secret": "a"hunter2'])(
  "a syntax error quotes no secret: {%s}",
  async (text) => {
    const error: unknown = await parseJsonc(`{${text}}`).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SyntaxError);
    expect(String(error)).not.toContain("hunter2");
  },
);

test("of keys that are there twice, each without effect is listed, and the line is that of the last", async () => {
  const text = '{\n  "a": 1,\n  "b": [{ "c": 1,\n  "c": 2 }],\n  "a": 3\n}\n';
  const { value, duplicates, lineOf } = await parseJsoncWithLines(text);
  expect(value).toEqual({ a: 3, b: [{ c: 2 }] });
  expect(duplicates).toEqual([
    { path: ["a"], line: 2, lastLine: 5 },
    { path: ["b", 0, "c"], line: 3, lastLine: 4 },
  ]);
  expect(lineOf(["a"])).toBe(5);
});

test.each([
  { title: "comments", text: '// a\n{"a": /* b */ 1}', value: { a: 1 } },
  { title: "trailing commas", text: '{"a": [1, 2,],}', value: { a: [1, 2] } },
  { title: "a byte order mark", text: '\ufeff{"a": null}', value: { a: null } },
])("$title are allowed", async ({ text, value }) => {
  expect(await parseJsonc(text)).toEqual(value);
});

test("__proto__ is a key, not the object's prototype", async () => {
  const value = await parseJsonc('{"__proto__": {"agent": "x"}}');
  expect(Object.keys(Object(value))).toEqual(["__proto__"]);
  expect(Object(value).agent).toBeUndefined();
});
