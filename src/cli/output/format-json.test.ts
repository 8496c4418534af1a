import { expect, test } from "bun:test";
import { formatJson } from "./format-json.ts";

test("the value survives, and the line has no control characters", () => {
  const value = { text: "a\u001b[31m\u0007\u009b2J\u007f\u202eb\n", list: [1, true, null] };
  const line = formatJson(value);
  expect(JSON.parse(line)).toEqual(value);
  expect(line).toBe(String.raw`{"text":"a\u001b[31m\u0007\u009b2J\u007f\u202eb\n","list":[1,true,null]}`);
});

test("other characters stay unchanged", () => {
  expect(formatJson("👍 日本 é ❤️ 👩‍💻")).toBe('"👍 日本 é ❤️ 👩‍💻"');
});

test("invisible characters and Unicode line breaks are escaped", () => {
  const value = { text: "a\u200bb\u2028c\u{e0041}d" };
  const json = formatJson(value);
  expect(json).toBe('{"text":"a\\u200bb\\u2028c\\udb40\\udc41d"}');
  expect(JSON.parse(json)).toEqual(value);
});

test("values that JSON cannot represent are replaced", () => {
  const value = { count: 10n, map: new Map([["a", 1n]]), set: new Set(["b"]), bytes: new Uint8Array([1, 2]) };
  expect(formatJson(value)).toBe('{"count":"10","map":[["a","1"]],"set":["b"],"bytes":"AQI="}');
});
