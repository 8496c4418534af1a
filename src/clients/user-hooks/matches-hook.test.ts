import { expect, test } from "bun:test";
import { matchesHook } from "./matches-hook.ts";

test.each([
  { matcher: undefined, shape: "claude", values: ["Bash"], matches: true },
  { matcher: "*", shape: "claude", values: ["Bash"], matches: true },
  { matcher: "", shape: "claude", values: ["Bash"], matches: true },
  { matcher: "Bash", shape: "claude", values: ["Bash", "bash"], matches: true },
  { matcher: "Bas", shape: "claude", values: ["Bash"], matches: false },
  { matcher: "Edit | Write", shape: "claude", values: ["Write"], matches: true },
  { matcher: "Edit,Write", shape: "claude", values: ["Write"], matches: true },
  { matcher: "mcp__.*", shape: "claude", values: ["mcp__a__b"], matches: true },
  { matcher: "Notebook.*", shape: "claude", values: ["Bash"], matches: false },
  { matcher: "ba", shape: "copilot", values: ["bash"], matches: false },
  { matcher: "ba.*|view", shape: "copilot", values: ["bash"], matches: true },
  { matcher: "Bash", shape: "claude", values: [], matches: true },
] as const)("$matcher in the shape of $shape and $values: $matches", ({ matcher, shape, values, matches }) => {
  expect(matchesHook({ shape, ...(matcher === undefined ? {} : { matcher }) }, values)).toBe(matches);
});
