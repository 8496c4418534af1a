import { describe, expect, test } from "bun:test";
import type { PermissionEffect, PermissionRule } from "../../../contracts/index.ts";
import { adviseOnRule, type RuleAdvice } from "./advise-on-rule.ts";
import { evaluatePermission } from "./evaluate-permission.ts";

const FOLDERS = ["src", "/home/you/.ssh", "a/b", "."];
const isFolder = (path: string) => FOLDERS.includes(path);

function advise(rule: PermissionRule): readonly RuleAdvice[] {
  return adviseOnRule(rule, { isFolder });
}

describe("paths", () => {
  const BELOW = "matches no file below the folder";
  const SLASH = "matches no file, because it ends with a slash";
  test.each([
    { pattern: "src", problem: BELOW, instead: ["src/**"] },
    { pattern: "a/b", problem: BELOW, instead: ["a/b/**"] },
    { pattern: ".", problem: BELOW, instead: ["**"] },
    { pattern: "/home/you/.ssh", problem: BELOW, instead: ["/home/you/.ssh/**"] },
    { pattern: "lib/", problem: SLASH, instead: ["lib/**"] },
    { pattern: "./", problem: SLASH, instead: ["**"] },
    {
      pattern: "~/.ssh",
      problem: "matches nothing, because ~ is not expanded: write the path in full",
      instead: [],
    },
  ])("$pattern", (advice) => {
    for (const effect of ["allow", "ask", "deny"] as const) {
      expect(advise({ effect, tools: ["edit"], paths: [advice.pattern] })).toEqual([advice]);
    }
  });

  test.each(["src/**", "src/*.ts", "Makefile", "lib", "**", "{src,lib}", "~x"])("%s is fine", (pattern) => {
    expect(advise({ effect: "allow", tools: ["edit"], paths: [pattern] })).toEqual([]);
  });
});

describe("commands", () => {
  test.each([
    { pattern: "npm test*", instead: ["npm test", "npm test *"], longer: "npm testx" },
    { pattern: "ls*", instead: ["ls", "ls *"], longer: "lsx" },
    { pattern: "git diff --stat*", instead: ["git diff --stat", "git diff --stat *"], longer: "git diff --statx" },
  ])("an allowed $pattern", ({ pattern, instead, longer }) => {
    const problem = `also matches commands that continue within the word, such as "${longer}"`;
    expect(advise({ effect: "allow", commands: [pattern] })).toEqual([{ pattern, problem, instead }]);
    expect(advise({ effect: "deny", commands: [pattern] })).toEqual([]);
  });

  test.each(["deny", "ask"] as const)("a bare word with the effect %s", (effect) => {
    expect(advise({ effect, commands: ["rm", "git push*"] })).toEqual([
      { pattern: "rm", problem: "matches the command only without arguments", instead: ["rm", "rm *"] },
    ]);
    expect(advise({ effect: "allow", commands: ["rm"] })).toEqual([]);
  });

  test.each(["*", "npm *", "npm run test:*", "./scripts/*", "git * --stat*"])("an allowed %s is fine", (pattern) => {
    expect(advise({ effect: "allow", commands: [pattern] })).toEqual([]);
  });
});

test("a rule without patterns, and several patterns", () => {
  expect(advise({ effect: "allow", tools: ["shell"] })).toEqual([]);
  const { length } = advise({ effect: "allow", paths: ["src", "x", "lib/"], commands: ["npm test*", "ls"] });
  expect(length).toBe(3);
});

test.each<{ effect: PermissionEffect; pattern: string; command: string }>([
  { effect: "deny", pattern: "rm", command: "rm -rf src" },
  { effect: "deny", pattern: "rm", command: "rm" },
  { effect: "allow", pattern: "npm test*", command: "npm test" },
  { effect: "allow", pattern: "npm test*", command: "npm test -- a" },
])("what is advised instead of $pattern does what is meant: $command", ({ effect, pattern, command }) => {
  const commands = advise({ effect, commands: [pattern] }).flatMap(({ instead }) => instead);
  const request = { id: "1", sessionId: "s", kind: "shell", toolName: "bash", title: "", paths: [], command } as const;
  const policy = { rules: [{ effect, commands }] };
  expect(evaluatePermission(policy, request, { workingDirectory: "/work" }).effect).toBe(effect);
});
