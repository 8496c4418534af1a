import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseJson } from "./parse-json.ts";

test.each(
  [
    { text: "", message: "line 1, column 1: expected a value" },
    { text: "{", message: 'line 1, column 2: expected a name in double quotes or "}"' },
    { text: '{\n  "a": 1,\n}', message: "line 3, column 1: expected a name in double quotes" },
    { text: '{\n  "a": 1\n  "b": 2\n}', message: 'line 3, column 3: expected "," or the closing bracket' },
    { text: "{ 'a': 1 }", message: 'line 1, column 3: expected a name in double quotes or "}"' },
    { text: '{ "a" 1 }', message: 'line 1, column 7: expected ":"' },
    { text: '{ "a": yes }', message: "line 1, column 8: expected a value" },
    { text: "[1, 2,]", message: "line 1, column 7: expected a value" },
    { text: "[[1], {}, 2}", message: 'line 1, column 12: expected "," or the closing bracket' },
    { text: "[ // comment\n]", message: 'line 1, column 3: expected a value or "]"' },
    { text: "{} {}", message: "line 1, column 4: expected nothing more" },
    { text: '"a\nb"', message: "line 1, column 1: expected a value" },
    { text: '["\u0085é", 1 2]', message: 'line 1, column 10: expected "," or the closing bracket' },
    { text: "[01]", message: 'line 1, column 3: expected "," or the closing bracket' },
  ].map((row) => ({ ...row, title: JSON.stringify(row.text) })),
)("$title is wrong at its place", ({ text, message }) => {
  expect(parseJson(text)).toEqual({ type: "error", message });
});

test("JSON returns its value, even after a byte order mark", () => {
  expect(parseJson('\uFEFF{ "a": [1, null] }')).toEqual({ type: "value", value: { a: [1, null] } });
});

test("a text cut off anywhere is an error with a place inside it or at its end", () => {
  fc.assert(
    fc.property(
      fc.json().filter((text) => /^[[{"]/.test(text)),
      fc.nat(),
      (text, cut) => {
        const part = text.slice(0, cut % text.length);
        const parsed = parseJson(part);
        expect(parsed.type).toBe("error");
        const column = parsed.type === "error" ? Number(/^line 1, column (\d+): /.exec(parsed.message)?.[1]) : 0;
        expect(column).toBeGreaterThanOrEqual(1);
        expect(column).toBeLessThanOrEqual(part.length + 1);
      },
    ),
  );
});
