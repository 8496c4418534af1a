import { expect, test } from "bun:test";
import { chooseVerifier, resolveReviewers, verifyingAgents } from "./reviewers.ts";

test("reviewers without an agent take turns with the agents; others keep theirs", () => {
  const { reviewers, problems } = resolveReviewers(
    ["bugs", "security", "bugs@copilot", "tests", { focus: "speed", instructions: "Find what is slow." }],
    ["claude", "opencode"],
  );
  expect(problems).toEqual([]);
  expect(reviewers.map(({ nodeId, agent }) => [nodeId, agent ?? ""])).toEqual([
    ["review-bugs-claude", "claude"],
    ["review-security-opencode", "opencode"],
    ["review-bugs-copilot", "copilot"],
    ["review-tests-claude", "claude"],
    ["review-speed-opencode", "opencode"],
  ]);
  expect(verifyingAgents(reviewers, ["claude", "opencode"])).toEqual(["claude", "opencode", "copilot"]);
});

test("without agents, the run's agent does everything", () => {
  const { reviewers } = resolveReviewers(["bugs"], []);
  expect(reviewers.map(({ nodeId, agent }) => [nodeId, agent])).toEqual([["review-bugs", undefined]]);
  expect(verifyingAgents(reviewers, [])).toEqual([undefined]);
});

test.each([
  {
    reviewers: ["securty"],
    problem:
      'There is no reviewer "securty". Did you mean "security"? Built-in reviewers: bugs, security, tests, simplicity.',
  },
  {
    reviewers: ["Bugs!"],
    problem:
      '"Bugs!" is no name of a reviewer. Names have lower-case letters, digits and dashes. Built-in reviewers: bugs, security, tests, simplicity.',
  },
  {
    reviewers: ["constructor"],
    problem: 'There is no reviewer "constructor". Built-in reviewers: bugs, security, tests, simplicity.',
  },
  { reviewers: ["bugs@"], problem: 'The reviewer "bugs@" names no agent. Write bugs@claude, for example.' },
  {
    reviewers: ["bugs", "bugs"],
    problem: 'There are two reviewers for "bugs" with the same agent. Remove one of them.',
  },
  { reviewers: [], problem: "There are no reviewers. Name at least one." },
])("$reviewers is a mistake", ({ reviewers, problem }) => {
  expect(resolveReviewers(reviewers, []).problems).toEqual([problem]);
});

test.each([
  { reporters: ["a"], agents: ["a", "b", "c"], index: 0, expected: "b" },
  { reporters: ["a"], agents: ["a", "b", "c"], index: 1, expected: "c" },
  { reporters: ["a", "b"], agents: ["a", "b"], index: 1, expected: "b" },
  { reporters: ["a"], agents: ["a"], index: 5, expected: "a" },
])("$expected checks finding $index of $reporters", ({ reporters, agents, index, expected }) => {
  expect(chooseVerifier(reporters, agents, index)).toBe(expected);
});
