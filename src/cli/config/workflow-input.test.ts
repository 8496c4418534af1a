import { expect, test } from "bun:test";
import { annotation, type CompiledGraph, defineState, graph, toolNode } from "../../graph/index.ts";
import { createInput, parseInputFlags } from "./workflow-input.ts";

const step = toolNode({ id: "step", execute: () => 1 });

const declared: CompiledGraph = graph(
  defineState({
    prompt: annotation(""),
    topic: annotation("none"),
    count: annotation(1),
    isDeep: annotation(false),
    tags: annotation<string[]>([]),
    settings: annotation<Record<string, unknown>>({}),
    anything: annotation<unknown>(null),
  }),
)
  .start(step)
  .end()
  .compile() as unknown as CompiledGraph; // true: a graph may be run with any of its states

const open = graph().start(step).end().compile();

test("each value is parsed as its field's kind", () => {
  const inputs = parseInputFlags([
    "topic=12",
    "count=-2.5",
    "isDeep=true",
    'tags=["a", "b"]',
    'settings={"x": null}',
    "anything=3",
  ]);
  expect(createInput(declared, "Do it", inputs)).toEqual({
    prompt: "Do it",
    topic: "12",
    count: -2.5,
    isDeep: true,
    tags: ["a", "b"],
    settings: { x: null },
    anything: 3,
  });
});

test("a workflow without declared fields accepts any name, as text", () => {
  expect(createInput(open, "Do it", parseInputFlags(["count=1"]))).toEqual({ prompt: "Do it", count: "1" });
});

test("without a prompt and inputs the workflow's defaults apply", () => {
  expect(createInput(declared, undefined, new Map())).toEqual({});
});

test.each([
  {
    input: "topik=x",
    message: 'The workflow has no input "topik". Did you mean "topic"?',
  },
  {
    input: "zzz=x",
    message:
      'The workflow has no input "zzz". Its inputs, for --input NAME=VALUE: prompt, topic, count, isDeep, tags, settings, anything.',
  },
  {
    input: "toString=x",
    message:
      'The workflow has no input "toString". Its inputs, for --input NAME=VALUE: prompt, topic, count, isDeep, tags, settings, anything.',
  },
  {
    input: "__proto__=x",
    message:
      'The workflow has no input "__proto__". Its inputs, for --input NAME=VALUE: prompt, topic, count, isDeep, tags, settings, anything.',
  },
  {
    input: "isDeep=maybe",
    message: 'The input "isDeep" must be yes or no. Write isDeep=yes or isDeep=no (true, false).',
  },
  { input: "count=many", message: 'The input "count" must be a number, not "many".' },
  { input: "count=", message: 'The input "count" must be a number, not "".' },
  { input: "count=Infinity", message: 'The input "count" must be a number, not "Infinity".' },
  {
    input: "tags=a,b",
    message: `The input "tags" must be a list. Write it as JSON, for example tags='["a", "b"]'.`,
  },
  {
    input: 'tags={"a":1}',
    message: `The input "tags" must be a list. Write it as JSON, for example tags='["a", "b"]'.`,
  },
  {
    input: "settings=[]",
    message: `The input "settings" must be an object. Write it as JSON, for example settings='{"a": 1}'.`,
  },
  {
    input: "anything=x",
    message: `The input "anything" must be a value. Write it as JSON, for example anything='"a text"' or anything='{"a": 1}'.`,
  },
])("--input $input is rejected", ({ input, message }) => {
  expect(() => createInput(declared, undefined, parseInputFlags([input]))).toThrow(message);
});

test("a prompt for a workflow without one lists its inputs", () => {
  const noPrompt = graph(defineState({ promt: annotation("") }))
    .start(step)
    .end()
    .compile() as unknown as CompiledGraph; // true: a graph may be run with any of its states
  expect(() => createInput(noPrompt, "Do it", new Map())).toThrow(
    "The workflow takes no prompt. Its inputs, for --input NAME=VALUE: promt.",
  );
  const nothing = graph(defineState({})).start(step).end().compile() as unknown as CompiledGraph; // true, as above
  expect(() => createInput(nothing, "Do it", new Map())).toThrow("The workflow takes no prompt. It has no inputs.");
});

test("a prompt that is given twice is rejected, not dropped", () => {
  expect(() => createInput(declared, "one", parseInputFlags(["prompt=two"]))).toThrow(
    "The prompt is given twice: after the workflow and as --input. Omit one of them.",
  );
});

test("an input without a field is a list or an object where its text is one in JSON, and else the text", () => {
  const inputs = parseInputFlags([
    'files=["a.ts", "b.ts"]',
    'about={"a": 1}',
    "count=1",
    "note=[not a list",
    "prompt=[1]",
  ]);
  expect(createInput(open, undefined, inputs)).toEqual({
    files: ["a.ts", "b.ts"],
    about: { a: 1 },
    count: "1",
    note: "[not a list",
    prompt: "[1]",
  });
});
