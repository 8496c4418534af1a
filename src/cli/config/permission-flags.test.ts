import { expect, test } from "bun:test";
import { parseRule } from "./permission-flags.ts";

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
  {
    text: "Bash:npm test",
    message: `"Bash:npm test" is not a permission. Did you mean "shell"? Write KIND, KIND:PATH or shell:COMMAND; ${KINDS}`,
  },
  {
    text: "write",
    message: `"write" is not a permission. Did you mean "edit"? Write KIND, KIND:PATH or shell:COMMAND; ${KINDS}`,
  },
  {
    text: "constructor",
    message: `"constructor" is not a permission. Write KIND, KIND:PATH or shell:COMMAND; ${KINDS}`,
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
    message: '"edit:" has no pattern after the colon. Omit the colon to mean every edit call.',
  },
])('"$text" is none', ({ text, message }) => {
  expect(() => parseRule("deny", text)).toThrow(message);
});
