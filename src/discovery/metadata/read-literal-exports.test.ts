import { expect, test } from "bun:test";
import { readLiteralExports } from "./read-literal-exports.ts";

async function read(text: string, path = "a.ts") {
  const found = await readLiteralExports(text, path);
  return found && { values: Object.fromEntries(found.values), computed: [...found.computed].sort() };
}

test.each([
  { title: "texts", text: 'export const name: string = "a" as const;', values: { name: "a" } },
  { title: "templates without holes", text: "export const name = `a\n\\u0062`;", values: { name: "a\nb" } },
  { title: "numbers", text: "export const a = -1_000, b = +0.5;", values: { a: -1000, b: 0.5 } },
  {
    title: "yes, no and null",
    text: "export const a = true, b = false, c = null;",
    values: { a: true, b: false, c: null },
  },
  {
    title: "nested lists and objects",
    text: 'export const defaultConfig = { depth: 3, "a-b": [1, { c: [] }] } satisfies object;',
    values: { defaultConfig: { depth: 3, "a-b": [1, { c: [] }] } },
  },
  {
    title: "constants that are listed, under their new name",
    text: 'const label = "a"; const b = 2; export { label as name, b };',
    values: { name: "a", b: 2 },
  },
  {
    title: "comments, a BOM and CRLF",
    text: '\uFEFF// export const x = 1;\r\nexport const name = /* "b" */ "a";\r\n',
    values: { name: "a" },
  },
  {
    title: "text that looks like code",
    text: 'export const name = "export const other = 1;";',
    values: { name: "export const other = 1;" },
  },
])("literal exports are read: $title", async ({ text, values }) => {
  expect(await read(text)).toEqual({ values, computed: [] });
});

test.each([
  { title: "a template with a hole", text: "const b = 1; export const a = `${b}`;" },
  { title: "a call", text: 'export const a = String("x");' },
  { title: "a variable that may change", text: 'export let a = "x"; a = "y";' },
  { title: "a listed variable that may change", text: 'let b = "x"; export { b as a };' },
  { title: "another module's", text: 'export { a } from "./b.ts";' },
  { title: "an imported one", text: 'import { a } from "./b.ts"; export { a };' },
  { title: "a pattern", text: "export const { a } = globalThis;" },
  { title: "a pattern in a list", text: "export const [{ b: a }] = [globalThis];" },
  { title: "a function", text: "export function a() {}" },
  { title: "a class", text: "export class a {}" },
  { title: "an object with a prototype", text: 'export const a = { ["__proto__"]: 1, "__proto__": {} };' },
  { title: "an object with a getter", text: "export const a = { get b() { return 1; } };" },
  { title: "a spread", text: "export const a = [...[1]];" },
  { title: "a pattern for texts", text: "export const a = /x/;" },
  { title: "a big number", text: "export const a = 1n;" },
  { title: "a sum of many terms", text: `const b = 1; export const a = 1${" + b".repeat(100_000)};` },
])("a value that needs execution is computed: $title", async ({ text }) => {
  const found = await read(text);
  expect(found?.values).toEqual({});
  expect(found?.computed).toContain("a");
});

test("the default export is computed, and values beside computed ones are read", async () => {
  expect(await read("export const name = `x`, b = name + 1; export default () => 1;")).toEqual({
    values: { name: "x" },
    computed: ["b", "default"],
  });
});

test("a module that exports nothing has no exports", async () => {
  expect(await read("const a = 1;")).toEqual({ values: {}, computed: [] });
  expect(await read("")).toEqual({ values: {}, computed: [] });
});

test("JavaScript is read as such", async () => {
  expect(await read('export const name = "a"; const element = <b/>;', "a.js")).toEqual({
    values: { name: "a" },
    computed: [],
  });
});

test.each([
  { title: "a syntax error", text: "export default (" },
  { title: "an export of everything of another module", text: 'export * from "./b.ts"; export const name = "a";' },
  { title: "CommonJS", text: 'module.exports = { name: "a" };' },
  { title: "a binary file", text: "\u0000\u0001\u0002" },
  {
    title: "code that nests deeper than any parser",
    text: `export const a = ${"[".repeat(400_000)}${"]".repeat(400_000)};`,
  },
])("a text whose exports cannot be read returns undefined: $title", async ({ text }) => {
  expect(await read(text)).toBeUndefined();
});
