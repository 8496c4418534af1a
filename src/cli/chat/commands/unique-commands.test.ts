import { expect, test } from "bun:test";
import type { HostCommand } from "../../../tui/index.ts";
import { isTypable, uniqueCommands } from "./unique-commands.ts";

function command(name: string, description: string, aliases?: readonly string[]): HostCommand {
  const start = { type: "run", start: async () => "" } as const;
  return { name, description, category: "workflow", start, ...(aliases === undefined ? {} : { aliases }) };
}

test("the first of a name stays, and aliases hide neither names nor each other", () => {
  const found = uniqueCommands([
    command("ship", "first", ["deploy", "two words", "REVIEW", "deploy"]),
    command("SHIP", "second"),
    command("review", "third", ["Deploy", "check"]),
    command("loop", "fourth", ["ship"]),
  ]);
  expect(found.map(({ name, description, aliases }) => [name, description, aliases])).toEqual([
    ["ship", "first", ["deploy"]],
    ["review", "third", ["check"]],
    ["loop", "fourth", undefined],
  ]);
});

test.each([
  ["git/commit", true],
  ["plugin:skill", true],
  ["prüfen", true],
  ["two words", false],
  ["a\u0007", false],
  ["a\u202eb", false],
  ["", false],
])("%j can be typed: %p", (name, isPossible) => {
  expect(isTypable(name)).toBe(isPossible);
});
