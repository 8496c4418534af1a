import { expect, test } from "bun:test";
import { parseConfigFlags } from "./workflow-config.ts";

const review = { name: "review", defaultConfig: { depth: 3, tone: "kind", isStrict: false } };

test.each([
  { title: "nothing is given", texts: undefined, expected: undefined },
  {
    title: "values are of the same kind as the defaults",
    texts: ["depth=5", "tone=7", "isStrict=yes"],
    expected: { depth: 5, tone: "7", isStrict: true },
  },
  {
    title: "a value may contain an equals sign",
    texts: ["tone=b=c"],
    expected: { tone: "b=c" },
  },
])("$title", ({ texts, expected }) => {
  expect(parseConfigFlags(texts, review)).toEqual(expected);
});

test("a default of null accepts any JSON, and one without a kind accepts text", () => {
  const open = { name: "open", defaultConfig: { a: null, b: undefined } };
  expect(parseConfigFlags(["a=[1]", "b=[1]"], open)).toEqual({ a: [1], b: "[1]" });
  expect(parseConfigFlags(["a=null"], open)).toEqual({ a: null });
});

test("a workflow without a defaultConfig accepts no settings", () => {
  expect(() => parseConfigFlags(["a=1"], { name: "plain" })).toThrow(
    'The workflow "plain" has no settings for --config. Declare them in its file: export const defaultConfig = { … }.',
  );
});

test.each([
  { texts: ["depth"], message: '"depth" sets nothing. Write --config NAME=VALUE.' },
  { texts: ["depth=1", "depth=2"], message: '"depth" is set twice. Omit one of them.' },
  { texts: ["dept=1"], message: 'The workflow "review" has no setting "dept". Did you mean "depth"?' },
  { texts: ["zzzzz=1"], message: 'The workflow "review" has no setting "zzzzz". Its settings: depth, tone, isStrict.' },
  { texts: ["depth=abc"], message: 'The setting "depth" must be a number, not "abc".' },
  { texts: ["depth=[1]"], message: 'The setting "depth" must be a number, not "[1]".' },
  {
    texts: ["isStrict=1"],
    message: 'The setting "isStrict" must be yes or no. Write isStrict=yes or isStrict=no (true, false).',
  },
])("$texts is rejected", ({ texts, message }) => {
  expect(() => parseConfigFlags(texts, review)).toThrow(message);
});
