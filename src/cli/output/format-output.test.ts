import { expect, test } from "bun:test";
import { formatOutput } from "./format-output.ts";

test.each([
  { title: "a text keeps its lines", output: "one\ntwo", shown: "one\ntwo" },
  { title: "control sequences are removed from a text", output: "a\u001b[2Jb", shown: "ab" },
  { title: "a value is JSON", output: { a: [1, null] }, shown: '{\n  "a": [\n    1,\n    null\n  ]\n}' },
  {
    title: "control characters and line breaks in a value are escaped",
    output: { t: "a\u2028b\u2029c\u202ed\u001b[2Je\u009b2Jf\ufeffg ❤️" },
    shown: '{\n  "t": "a\\u2028b\\u2029c\\u202ed\\u001b[2Je\\u009b2Jf\\ufeffg ❤️"\n}',
  },
  {
    title: "values that JSON would lose are replaced",
    output: { m: new Map([[1, 2]]), s: new Set(["x"]), b: 5n, d: new Date(0), u: new Uint8Array([1]) },
    shown: JSON.stringify({ m: [[1, 2]], s: ["x"], b: "5", d: "1970-01-01T00:00:00.000Z", u: "AQ==" }, null, 2),
  },
])("$title", ({ output, shown }) => {
  expect(formatOutput(output)).toBe(shown);
});
