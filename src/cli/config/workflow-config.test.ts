import { expect, test } from "bun:test";
import { parseConfigFlags } from "./workflow-config.ts";

const review = { name: "review", defaultConfig: { depth: 3, tone: "kind", isStrict: false } };

test.each([
  { title: "nothing is given", texts: undefined, expected: undefined },
  {
    title: "values are of the kind that the workflow's own are",
    texts: ["depth=5", "tone=7", "isStrict=yes"],
    expected: { depth: 5, tone: "7", isStrict: true },
  },
  {
    title: "a value may have an = in it",
    texts: ["tone=b=c"],
    expected: { tone: "b=c" },
  },
])("$title", ({ texts, expected }) => {
  expect(parseConfigFlags(texts, review)).toEqual(expected);
});

test("where the workflow's own value says nothing of its kind, it is JSON for null and text otherwise", () => {
  const open = { name: "open", defaultConfig: { a: null, b: undefined } };
  expect(parseConfigFlags(["a=[1]", "b=[1]"], open)).toEqual({ a: [1], b: "[1]" });
  expect(parseConfigFlags(["a=null"], open)).toEqual({ a: null });
});

test("a workflow without a defaultConfig takes none", () => {
  expect(() => parseConfigFlags(["a=1"], { name: "plain" })).toThrow(
    'The workflow "plain" has no settings for --config. Declare them in its file: export const defaultConfig = { … }.',
  );
});

test.each([
  { texts: ["depth"], message: '"depth" sets nothing. Write --config NAME=VALUE.' },
  { texts: ["depth=1", "depth=2"], message: '"depth" is set twice. Leave one of them out.' },
  { texts: ["dept=1"], message: 'The workflow "review" has no setting "dept". Did you mean "depth"?' },
  { texts: ["zzzzz=1"], message: 'The workflow "review" has no setting "zzzzz". Its settings: depth, tone, isStrict.' },
  { texts: ["depth=abc"], message: 'The setting "depth" is a number, and "abc" is none.' },
  { texts: ["depth=[1]"], message: 'The setting "depth" is a number, and "[1]" is none.' },
  {
    texts: ["isStrict=1"],
    message: 'The setting "isStrict" is yes or no. Write isStrict=yes or isStrict=no (true, false).',
  },
])("$texts is refused", ({ texts, message }) => {
  expect(() => parseConfigFlags(texts, review)).toThrow(message);
});
