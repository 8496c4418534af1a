import { expect, test } from "bun:test";
import type { PermissionPolicy, PermissionRequest } from "../../contracts/index.ts";
import { describeDenial } from "./describe-denial.ts";
import { evaluatePermission } from "./rules/evaluate-permission.ts";

const SHELL: PermissionRequest = { id: "1", sessionId: "s", kind: "shell", toolName: "bash", title: "t", paths: [] };
const EDIT: PermissionRequest = { ...SHELL, kind: "edit", toolName: "edit" };
const SEARCH: PermissionRequest = {
  ...SHELL,
  kind: "read",
  toolName: "grep",
  paths: ["/work", "/work/.env"],
  search: {},
};
const TESTS: PermissionPolicy = {
  rules: [
    { effect: "allow", tools: ["shell"], commands: ["npm test*", "git *"] },
    { effect: "allow", tools: ["edit"], paths: ["src/**"] },
  ],
};
const NOBODY = "and nobody can approve it here.";
const ALLOWED = 'Allowed without approval: "npm test*", "git *".';
const NARROWER = "Search a folder without such files, or limit the search by the ending of file names.";

test.each<{
  title: string;
  policy?: PermissionPolicy;
  request: PermissionRequest;
  isComplete?: boolean;
  reason: string;
}>([
  {
    title: "a command that no rule allows",
    policy: { rules: [] },
    request: { ...SHELL, command: "npm publish" },
    reason: `Denied: no rule allows the command "npm publish", ${NOBODY}`,
  },
  {
    title: "those commands of a line that no rule allows, and what rules allow",
    request: { ...SHELL, command: "npm test && npm publish; rm -rf x" },
    reason: `Denied: no rule allows the command "npm publish", "rm -rf x", ${NOBODY} ${ALLOWED}`,
  },
  {
    title: "a line that cannot be parsed",
    request: { ...SHELL, command: "npm test > log" },
    reason: `Denied: no pattern can allow a command line that holds a redirection (< or >), ${NOBODY} ${ALLOWED}`,
  },
  {
    title: "a command that a rule denies",
    policy: { rules: [{ effect: "deny", tools: ["shell"], commands: ["rm *"] }] },
    request: { ...SHELL, command: "cd x && rm -rf build" },
    reason: 'Denied by the rule "shell:rm *", which matches "rm -rf build".',
  },
  {
    title: "a kind that a rule denies",
    policy: { rules: [{ effect: "deny", tools: ["mcp"] }] },
    request: { ...SHELL, kind: "mcp", toolName: "db_query" },
    reason: 'Denied by the rule "mcp".',
  },
  {
    title: "a rule that requires approval",
    policy: { rules: [{ effect: "ask", tools: ["shell"], commands: ["git push*"] }] },
    request: { ...SHELL, command: "git push" },
    reason: `Denied: approval is required by the rule "shell:git push*", which matches "git push", ${NOBODY}`,
  },
  {
    title: "what is denied where no rule allows it",
    policy: { ...TESTS, otherwise: "deny" },
    request: { ...EDIT, paths: ["/work/a.ts"] },
    reason:
      'Denied: no rule allows changing "a.ts", and what no rule allows is denied here. Allowed without approval: "src/**".',
  },
  {
    title: "a protected file",
    policy: { rules: [{ effect: "allow", tools: ["edit"] }] },
    request: { ...EDIT, paths: ["package.json"] },
    reason: `Denied: package.json is protected: package managers and compilers run what it names, ${NOBODY}`,
  },
  {
    title: "a tool, without its input",
    request: { ...SHELL, kind: "mcp", toolName: "db_query", title: 'db_query: {"password":"1234"}' },
    reason: `Denied: no rule allows the tool "db_query", ${NOBODY}`,
  },
  {
    title: "a search, without the files that it would find",
    request: SEARCH,
    reason: `Denied: this search of "." can read files that require approval, ${NOBODY} ${NARROWER}`,
  },
  {
    title: "a search for what is denied, without the rule that names it",
    policy: { rules: [{ effect: "deny", tools: ["read"], paths: ["**/.env"] }] },
    request: SEARCH,
    reason: `Denied: this search of "." can read files that are denied. ${NARROWER}`,
  },
  {
    title: "a search that was not seen through",
    request: { ...SEARCH, paths: ["/work"] },
    isComplete: false,
    reason: `Denied: "." holds too many files to check what this search can read, ${NOBODY} ${NARROWER}`,
  },
])("says $title", ({ policy = TESTS, request, isComplete = true, reason }) => {
  const evaluation = evaluatePermission(policy, request, { workingDirectory: "/work" });
  expect(describeDenial({ policy, request, evaluation, isComplete, workingDirectory: "/work" })).toBe(reason);
});

test("says which part of a command a fitting pattern does not cover", () => {
  const request = { ...SHELL, command: "git -c core.pager=x log" };
  const evaluation = evaluatePermission(TESTS, request, { workingDirectory: "/work" });
  expect(
    describeDenial({ policy: TESTS, request, evaluation, isComplete: true, workingDirectory: "/work" }),
  ).toStartWith('Denied: no rule allows the command "git -c core.pager=x log" ("git *" does not cover "-c');
});

test("stays one short line, whatever the call holds", () => {
  const request = { ...SHELL, command: `echo ${"x".repeat(10_000)}\n`.repeat(50) };
  const evaluation = evaluatePermission(TESTS, request, { workingDirectory: "/work" });
  const reason = describeDenial({ policy: TESTS, request, evaluation, isComplete: true, workingDirectory: "/work" });
  expect([reason.includes("\n"), reason.length < 2_000]).toEqual([false, true]);
});
