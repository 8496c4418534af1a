import { expect, test } from "bun:test";
import type { DeniedPermission } from "../../contracts/index.ts";
import { formatDenied } from "./format-denied.ts";

const DENIED: DeniedPermission = {
  toolName: "bash",
  kind: "shell",
  title: "bash: npm publish",
  reason: 'Denied: no rule allows the command "npm publish", and nobody can be asked here.',
};
const HEAD = '⊘ denied: bash: npm publish (no rule allows the command "npm publish", and nobody can be asked here.)';

test.each([
  { title: "nothing", allowedBy: undefined, flag: [] },
  { title: "a rule", allowedBy: "shell:npm publish", flag: ['--allow "shell:npm publish"'] },
  {
    title: "a rule that a shell would read in another way",
    allowedBy: "shell:echo \"$HOME\" 'a'",
    flag: [String.raw`--allow 'shell:echo "$HOME" '\''a'\'''`],
  },
  { title: "a rule that looks like another one", allowedBy: "shell:\u0430", flag: ["no flag"] },
  { title: "a rule with what cannot be seen", allowedBy: "shell:a\u202eb", flag: ["no flag"] },
])("names what would allow a call: $title", ({ allowedBy, flag }) => {
  const lines = flag[0] === "no flag" ? [] : flag.map((text) => `  To allow exactly this next time: ${text}`);
  expect(formatDenied({ ...DENIED, ...(allowedBy === undefined ? {} : { allowedBy }) })).toEqual([HEAD, ...lines]);
});

test("a rule that names only a kind is not said to allow just this call", () => {
  expect(formatDenied({ ...DENIED, allowedBy: "mcp" })).toEqual([
    HEAD,
    '  To allow every call of the kind mcp next time: --allow "mcp"',
  ]);
});

test("says which rule forbids", () => {
  expect(formatDenied({ ...DENIED, reason: 'Denied by the rule "shell:npm *".' })).toEqual([
    '⊘ denied: bash: npm publish (by the rule "shell:npm *".)',
  ]);
});
