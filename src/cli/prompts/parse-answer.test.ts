import { expect, test } from "bun:test";
import { exactIdOf, parseAnswer } from "./parse-answer.ts";

test.each([
  { title: "the first question of a node", id: "gate", exact: "gate#1" },
  { title: "a later one", id: "gate#2", exact: "gate#2" },
  { title: "one of a branch", id: "parallel_1[a]/gate", exact: "parallel_1[a]/gate" },
])("the exact name of $title matches no other question", ({ id, exact }) => {
  expect(exactIdOf({ id, nodeId: "gate" })).toBe(exact);
});

test.each([
  { title: "a number that overflows", schema: {}, text: "1e400", problem: "a number in it is too large" },
  { title: "one within a value", schema: {}, text: '{"a":[-1e400]}', problem: "a number in it is too large" },
  { title: "a truncated object", schema: { type: "object" }, text: '{"a":1', problem: "it is not JSON (" },
  {
    title: "text instead of one of two shapes",
    schema: { anyOf: [{ type: "object" }, { type: "array" }] },
    text: "[1",
    problem: "it is not JSON (",
  },
])("an answer is rejected: $title", ({ schema, text, problem }) => {
  const request = { id: "gate", nodeId: "gate", question: "?", askedAt: 0, schema };
  expect(() => parseAnswer(request, text)).toThrow(`The answer to "gate" was rejected: ${problem}`);
});

test("text that is not JSON stays text when the schema accepts any value", () => {
  const request = { id: "gate", nodeId: "gate", question: "?", askedAt: 0, schema: {} };
  expect(parseAnswer(request, '{"a":1')).toBe('{"a":1');
});
