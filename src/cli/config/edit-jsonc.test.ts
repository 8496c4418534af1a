import { expect, test } from "bun:test";
import { editJsonc } from "./edit-jsonc.ts";

test.each<{ readonly title: string; readonly text: string; readonly path: readonly string[]; readonly after: string }>([
  {
    title: "after a comment on the line of the last property",
    text: '{\n  // mine\n  "a": 1 // one\n}\n',
    path: ["b", "c"],
    after: '{\n  // mine\n  "a": 1, // one\n  "b": {\n    "c": 5\n  }\n}\n',
  },
  {
    title: "after such a comment and a comma",
    text: '{\n  "a": 1, // one\n}\n',
    path: ["b"],
    after: '{\n  "a": 1, // one\n  "b": 5,\n}\n',
  },
  {
    title: "after a comment before the comma",
    text: '{\n  "a": 1 /* one */,\n}\n',
    path: ["b"],
    after: '{\n  "a": 1 /* one */,\n  "b": 5,\n}\n',
  },
  {
    title: "before a comment on a line of its own",
    text: '{\n  "a": 1\n  // the end\n}\n',
    path: ["b"],
    after: '{\n  "a": 1,\n  "b": 5\n  // the end\n}\n',
  },
  {
    title: "in an inner object",
    text: '{\n  "a": {\n    "x": 1 // one\n  }\n}\n',
    path: ["a", "y"],
    after: '{\n  "a": {\n    "x": 1, // one\n    "y": 5\n  }\n}\n',
  },
  { title: "in an empty file", text: "{}", path: ["a"], after: '{\n  "a": 5\n}\n' },
])("a property is added $title", async ({ text, path, after }) => {
  expect(await editJsonc(text, path, 5)).toBe(after);
});

test.each<{ readonly text: string; readonly path: readonly string[]; readonly value?: number; readonly after: string }>(
  [
    { text: '{"a":1,"a":2}', path: ["a"], value: 5, after: '{"a":1,"a":5}\n' },
    {
      text: '{\n  "u": { "a": 1 }, // old\n  "u": { "a": 2 } // new\n}\n',
      path: ["u", "a"],
      value: 5,
      after: '{\n  "u": { "a": 1 }, // old\n  "u": { "a": 5 } // new\n}\n',
    },
    { text: '{\n  "a": 1,\n  "b": 2,\n  "a": 3\n}\n', path: ["a"], after: '{\n  "b": 2\n}\n' },
    { text: '{ "u": { "a": 1 }, "u": { "a": 2 } }', path: ["u", "a"], after: '{ "u": { "a": 1 }, "u": {  } }\n' },
  ],
)("of equal keys the one that counts is changed, and none is left of a removed one (%#)", async (edit) => {
  expect(await editJsonc(edit.text, edit.path, edit.value)).toBe(edit.after);
});

test.each([
  {
    text: '{\n  // mine\n  "a": 1,\n  // other\n  "b": 2\n}\n',
    path: ["a"],
    after: '{\n  // mine\n  // other\n  "b": 2\n}\n',
  },
  { text: '{\n  "a": 1, // one\n  "b": 2\n}\n', path: ["b"], after: '{\n  "a": 1 // one\n}\n' },
  { text: '{\n  "a": 1,\n  "b": 2, // two\n}\n', path: ["b"], after: '{\n  "a": 1,\n   // two\n}\n' },
  { text: '{ "u": { "a": 1 }, "b": 2 }', path: ["u", "a"], after: '{ "u": {  }, "b": 2 }\n' },
  { text: '{ "l": [1, 2] }', path: ["l", 0], after: '{\n  "l": [\n    2\n  ]\n}\n' },
])("a setting is removed, and the comments stay (%#)", async ({ text, path, after }) => {
  expect(await editJsonc(text, path, undefined)).toBe(after);
});
