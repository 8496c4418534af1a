import { expect, test } from "bun:test";
import type { DeniedPermission } from "../../contracts/index.ts";
import { formatDenied } from "./format-denied.ts";

const DENIED: DeniedPermission = {
  toolName: "bash",
  kind: "shell",
  title: "bash: npm publish",
  reason: 'Denied: no rule allows the command "npm publish", and nobody can approve it here.',
};
const HEAD = '⊘ denied: bash: npm publish (no rule allows the command "npm publish", and nobody can approve it here.)';

test.each([
  { title: "nothing", allowedBy: undefined, flag: [] },
  { title: "a rule", allowedBy: "shell:npm publish", flag: ['--allow "shell:npm publish"'] },
  {
    title: "a rule that a shell would expand",
    allowedBy: "shell:echo \"$HOME\" 'a'",
    flag: [String.raw`--allow 'shell:echo "$HOME" '\''a'\'''`],
  },
  { title: "a rule that looks like another one", allowedBy: "shell:\u0430", flag: ["no flag"] },
  { title: "a rule with an invisible character", allowedBy: "shell:a\u202eb", flag: ["no flag"] },
])("names the flag that would allow a call: $title", ({ allowedBy, flag }) => {
  const lines = flag[0] === "no flag" ? [] : flag.map((text) => `  To allow exactly this next time: ${text}`);
  expect(formatDenied({ ...DENIED, ...(allowedBy === undefined ? {} : { allowedBy }) })).toEqual([HEAD, ...lines]);
});

test("a rule of a kind alone is described as allowing every call of it", () => {
  expect(formatDenied({ ...DENIED, allowedBy: "mcp" })).toEqual([
    HEAD,
    '  To allow every call of the kind mcp next time: --allow "mcp"',
  ]);
});

test("names the rule that denies the call", () => {
  expect(formatDenied({ ...DENIED, reason: 'Denied by the rule "shell:npm *".' })).toEqual([
    '⊘ denied: bash: npm publish (by the rule "shell:npm *".)',
  ]);
});
