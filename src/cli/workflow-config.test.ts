import { expect, test } from "bun:test";
import { parseConfigFlags } from "./workflow-config.ts";

const review = { name: "review", defaultConfig: { depth: 3, tone: "kind", isStrict: false } };

test.each([
  { title: "nothing is given", texts: undefined, expected: undefined },
  {
    title: "values are of the kind that the workflow's own are",
    texts: ["depth=5", "tone=7", "isStrict=true"],
    expected: { depth: 5, tone: "7", isStrict: true },
  },
  {
    title: "the last one wins, and a value may have an = in it",
    texts: ["tone=a", "tone=b=c"],
    expected: { tone: "b=c" },
  },
])("$title", ({ texts, expected }) => {
  expect(parseConfigFlags(texts, review)).toEqual(expected);
});

test("where the workflow's own value says nothing of its kind, any is taken", () => {
  const open = { name: "open", defaultConfig: { a: null, b: undefined } };
  expect(parseConfigFlags(["a=[1]", "b=plain"], open)).toEqual({ a: [1], b: "plain" });
  expect(parseConfigFlags(["a=null"], open)).toEqual({ a: null });
});

test("a workflow without a defaultConfig takes none", () => {
  expect(() => parseConfigFlags(["a=1"], { name: "plain" })).toThrow(
    'The workflow "plain" has no settings for --config. Declare them in its file: export const defaultConfig = { … }.',
  );
});

test.each([
  { texts: ["depth"], message: '"depth" configures nothing. Write --config NAME=VALUE.' },
  { texts: ["dept=1"], message: 'The workflow "review" has no setting "dept". Did you mean "depth"?' },
  { texts: ["zzzzz=1"], message: 'The workflow "review" has no setting "zzzzz". Its settings: depth, tone, isStrict.' },
  { texts: ["depth=abc"], message: 'The setting "depth" is a number, for example 3; "abc" is not.' },
  { texts: ["depth=[1]"], message: 'The setting "depth" is a number, for example 3; "[1]" is not.' },
  { texts: ["isStrict=yes"], message: 'The setting "isStrict" is true or false, for example false; "yes" is not.' },
])("$texts is refused", ({ texts, message }) => {
  expect(() => parseConfigFlags(texts, review)).toThrow(message);
});
