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

test("a workflow that says nothing about its configuration takes any", () => {
  expect(parseConfigFlags(["a=[1]", "b=plain"], { name: "open" })).toEqual({ a: [1], b: "plain" });
});

test.each([
  { texts: ["depth"], message: '"depth" configures nothing. Write --config NAME=VALUE.' },
  { texts: ["dept=1"], message: 'The workflow "review" has no setting "dept". Did you mean "depth"?' },
  { texts: ["zzzzz=1"], message: 'The workflow "review" has no setting "zzzzz". Its settings: depth, tone, isStrict.' },
])("$texts is refused", ({ texts, message }) => {
  expect(() => parseConfigFlags(texts, review)).toThrow(message);
});
