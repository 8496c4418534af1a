import { expect, test } from "bun:test";
import { exactIdOf, parseAnswer } from "./parse-answer.ts";

test.each([
  { title: "the first question of a node", id: "gate", exact: "gate#1" },
  { title: "a later one", id: "gate#2", exact: "gate#2" },
  { title: "one of a branch", id: "parallel_1[a]/gate", exact: "parallel_1[a]/gate" },
])("the exact name of $title stands for no other one", ({ id, exact }) => {
  expect(exactIdOf({ id, nodeId: "gate", question: "?", askedAt: 0 })).toBe(exact);
});

test.each([
  { title: "a number that overflows", schema: {}, text: "1e400", problem: "a number in it is too large" },
  { title: "one inside of a value", schema: {}, text: '{"a":[-1e400]}', problem: "a number in it is too large" },
  { title: "an object cut short", schema: { type: "object" }, text: '{"a":1', problem: "it is no JSON (" },
  {
    title: "what is neither of two shapes",
    schema: { anyOf: [{ type: "object" }, { type: "array" }] },
    text: "[1",
    problem: "it is no JSON (",
  },
])("an answer is refused: $title", ({ schema, text, problem }) => {
  const request = { id: "gate", nodeId: "gate", question: "?", askedAt: 0, schema };
  expect(() => parseAnswer(request, text)).toThrow(`The answer to "gate" was rejected: ${problem}`);
});

test("where any value is welcome, what is no JSON stays text", () => {
  const request = { id: "gate", nodeId: "gate", question: "?", askedAt: 0, schema: {} };
  expect(parseAnswer(request, '{"a":1')).toBe('{"a":1');
});
