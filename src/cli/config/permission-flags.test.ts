import { expect, test } from "bun:test";
import type { PermissionPolicy } from "../../contracts/index.ts";
import { parseRule, resolvePermissions } from "./permission-flags.ts";

const KINDS = "kinds: read, edit, shell, fetch, mcp, agent, other.";

test.each([
  { text: "edit", expected: { effect: "allow", tools: ["edit"] } },
  { text: " edit ", expected: { effect: "allow", tools: ["edit"] } },
  { text: "edit:src/**", expected: { effect: "allow", tools: ["edit"], paths: ["src/**"] } },
  { text: "shell:npm test*", expected: { effect: "allow", tools: ["shell"], commands: ["npm test*"] } },
  {
    text: "shell: git log --format=%h:%s",
    expected: { effect: "allow", tools: ["shell"], commands: ["git log --format=%h:%s"] },
  },
] as const)('"$text" is a rule', ({ text, expected }) => {
  expect<unknown>(parseRule("allow", text)).toEqual(expected);
});

test.each([
  { text: "nonsense", message: `"nonsense" is not a permission. Write KIND, KIND:PATH or shell:COMMAND; ${KINDS}` },
  {
    text: "shel:npm test",
    message: `"shel:npm test" is not a permission. Did you mean "shell"? Write KIND, KIND:PATH or shell:COMMAND; ${KINDS}`,
  },
  { text: "", message: `"" is not a permission. Write KIND, KIND:PATH or shell:COMMAND; ${KINDS}` },
  { text: ":x", message: `":x" is not a permission. Write KIND, KIND:PATH or shell:COMMAND; ${KINDS}` },
  {
    text: "fetch:example.com",
    message: '"fetch:example.com": calls of the kind "fetch" take no pattern. Write "fetch" to mean all of them.',
  },
  { text: "edit:~/.ssh/**", message: '"edit:~/.ssh/**": "~" is not expanded here. Write the path in full.' },
  {
    text: "edit:",
    message: '"edit:" has nothing behind the colon. Leave the colon out to mean every edit call.',
  },
])('"$text" is none', ({ text, message }) => {
  expect(() => parseRule("deny", text)).toThrow(message);
});

const CONFIGURED: PermissionPolicy = {
  rules: [
    { effect: "ask", tools: ["shell"] },
    { effect: "deny", paths: [".env"] },
  ],
  otherwise: "deny",
};

test.each([
  {
    title: "without settings and flags there is no rule, and whatever clients do not allow themselves is asked for",
    configured: undefined,
    flags: { allow: [], deny: [], isYolo: false },
    expected: { rules: [], otherwise: "ask" },
  },
  {
    title: "without settings the rules are those of the flags",
    configured: undefined,
    flags: { allow: ["edit"], deny: ["shell:rm*"], isYolo: false },
    expected: {
      rules: [
        { effect: "allow", tools: ["edit"] },
        { effect: "deny", tools: ["shell"], commands: ["rm*"] },
      ],
      otherwise: "ask",
    },
  },
  {
    title: "the flags' rules are added to the settings', whose `otherwise` stays",
    configured: CONFIGURED,
    flags: { allow: ["edit"], deny: [], isYolo: false },
    expected: { rules: [...CONFIGURED.rules, { effect: "allow", tools: ["edit"] }], otherwise: "deny" },
  },
  {
    title: "the settings' protected files stay protected",
    configured: { rules: [], protectedPaths: ["deploy/**"] },
    flags: { allow: ["edit"], deny: [], isYolo: false },
    expected: { rules: [{ effect: "allow", tools: ["edit"] }], otherwise: "ask", protectedPaths: ["deploy/**"] },
  },
  {
    title: "--yolo leaves nothing to ask, and what is denied stays denied",
    configured: CONFIGURED,
    flags: { allow: [], deny: ["fetch"], isYolo: true },
    expected: {
      rules: [
        { effect: "deny", paths: [".env"] },
        { effect: "deny", tools: ["fetch"] },
      ],
      otherwise: "allow",
    },
  },
] as const)("$title", ({ configured, flags, expected }) => {
  expect<unknown>(resolvePermissions(configured, flags)).toEqual(expected);
});
