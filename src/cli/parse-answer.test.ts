import { expect, test } from "bun:test";
import { exactIdOf } from "./parse-answer.ts";

test.each([
  { title: "the first question of a node", id: "gate", exact: "gate#1" },
  { title: "a later one", id: "gate#2", exact: "gate#2" },
  { title: "one of a branch", id: "parallel_1[a]/gate", exact: "parallel_1[a]/gate" },
])("the exact name of $title stands for no other one", ({ id, exact }) => {
  expect(exactIdOf({ id, nodeId: "gate", question: "?", askedAt: 0 })).toBe(exact);
});
