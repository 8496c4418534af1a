import { expect, test } from "bun:test";
import { missingHint } from "./missing-hint.ts";

const RALPH = '"<prompt-or-spec-path>" [--verify COMMAND]';

test.each([
  { hint: RALPH, args: "", missing: RALPH },
  { hint: RALPH, args: "  ", missing: RALPH },
  { hint: RALPH, args: "Repair the cart", missing: "[--verify COMMAND]" },
  { hint: RALPH, args: "Repair it --verify 'npm test'", missing: "" },
  { hint: "[base] [--agents names] [--fix]", args: "main --fix", missing: "[--agents names]" },
  { hint: "[base] [--agents names | --all]", args: "--all", missing: "" },
  { hint: "[message] | --amend", args: "fix", missing: "" },
  { hint: "<file-path> [function-name]", args: "s", missing: "" },
  { hint: "<task> [--name name]", args: "--name-of-it", missing: "[--name name]" },
  { hint: "", args: "x", missing: "" },
])('"$hint" after "$args" is "$missing"', ({ hint, args, missing }) => {
  expect(missingHint(hint, args)).toBe(missing);
});
