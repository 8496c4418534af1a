import { expect, test } from "bun:test";
import { blankComments, listModuleReferences, locateExport, positionAt } from "./source-text.ts";

test("comments turn into spaces, strings and line breaks stay", () => {
  expect(blankComments('a // x\n/* y\n */ b "// not" `/* nor */`')).toBe('a     \n    \n    b "// not" `/* nor */`');
});

test.each([
  { title: "beginnings of comments", text: `const r = /[${"/* ".repeat(300_000)}]/;` },
  { title: "escaped quotes", text: `const r = /"${'\\\\"'.repeat(300_000)}` },
  { title: "escaped backticks", text: `const r = /\`${"\\\\`".repeat(300_000)}` },
])("a hostile text of $title that nothing ends is read once", ({ text }) => {
  expect(blankComments(text)).toBe(text);
});

test("what looks like the beginning of a comment after the last one stays", () => {
  expect(blankComments("a /* b */ c // d\nexport default /\\/*/;")).toBe("a         c     \nexport default /\\/*/;");
});

test.each([
  { index: 0, expected: { line: 1, column: 1 } },
  { index: 2, expected: { line: 1, column: 3 } },
  { index: 3, expected: { line: 2, column: 1 } },
  { index: 5, expected: { line: 3, column: 2 } },
])("index $index of a text with three lines", ({ index, expected }) => {
  expect(positionAt("ab\n\ncd", index)).toEqual(expected);
});

test.each(
  [
    { text: 'export const name = "x";', name: "name", expected: { line: 1, column: 1 } },
    { text: "// export const name\n  export const name = 1", name: "name", expected: { line: 2, column: 3 } },
    { text: "export const names = 1", name: "name", expected: undefined },
    { text: "export async function migrateState() {}", name: "migrateState", expected: { line: 1, column: 1 } },
    { text: "const a = 1;\nexport {\n  a as version,\n  name };", name: "version", expected: { line: 3, column: 8 } },
    { text: "const a = 1;\nexport {\n  a as version,\n  name };", name: "name", expected: { line: 4, column: 3 } },
    { text: "\nexport default () => 1", name: "default", expected: { line: 2, column: 1 } },
  ].map((row) => ({ ...row, title: JSON.stringify(row.text) })),
)("$name in $title", ({ text, name, expected }) => {
  expect(locateExport(text, name)).toEqual(expected);
});

test("imports, re-exports, dynamic imports and require calls are found with the names they take", () => {
  const text = [
    "import { graph,", // line 1
    '  anotation as a, type StateOf } from "@bastani/atomic/graph";',
    "import first, { second } from './helper.ts';",
    'import * as all from "zod";',
    'import "./side-effect.ts";',
    "export { nope } from './other.ts';",
    'const late = await import("late");',
    "const old = require('old');",
    '// import { no } from "comment";',
  ].join("\n");
  expect(listModuleReferences(text)).toEqual([
    {
      specifier: "@bastani/atomic/graph",
      line: 2,
      column: 39,
      names: [
        { name: "graph", line: 1, column: 10 },
        { name: "anotation", line: 2, column: 3 },
        { name: "StateOf", line: 2, column: 24 },
      ],
    },
    {
      specifier: "./helper.ts",
      line: 3,
      column: 31,
      names: [
        { name: "default", line: 3, column: 8 },
        { name: "second", line: 3, column: 17 },
      ],
    },
    { specifier: "zod", line: 4, column: 22, names: [] },
    { specifier: "./side-effect.ts", line: 5, column: 8, names: [] },
    { specifier: "./other.ts", line: 6, column: 22, names: [{ name: "nope", line: 6, column: 10 }] },
    { specifier: "late", line: 7, column: 27, names: [] },
    { specifier: "old", line: 8, column: 21, names: [] },
  ]);
});
