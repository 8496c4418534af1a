import { expect, test } from "bun:test";
import type { CommandDefinition } from "../commands/command.ts";
import { KEY_ACTIONS, Keymap } from "../keys/keymap.ts";
import { helpSections } from "./help-sections.ts";

function command(name: string, more: Partial<CommandDefinition> = {}): CommandDefinition {
  return { name, description: `Does ${name}`, category: "builtin", execute: () => ({ success: true }), ...more };
}

test("commands are grouped by category, sorted, and hidden ones left out", () => {
  const commands = [
    command("reviewer", { category: "agent" }),
    command("ralph", { category: "workflow", argumentHint: "<prompt>" }),
    command("model"),
    command("clear"),
    command("secret", { hidden: true }),
    command("explain", { category: "skill" }),
    command("src/cart.ts", { category: "file" }),
  ];
  const sections = helpSections(new Keymap(), commands).filter(({ rows }) => rows[0]?.name.startsWith("/"));
  expect(sections).toEqual([
    {
      title: "Slash Commands",
      rows: [
        { name: "/clear", text: "Does clear" },
        { name: "/model", text: "Does model" },
      ],
    },
    { title: "Workflows", rows: [{ name: "/ralph <prompt>", text: "Does ralph" }] },
    { title: "Skills", rows: [{ name: "/explain", text: "Does explain" }] },
    { title: "Sub-Agents", rows: [{ name: "/reviewer", text: "Does reviewer" }] },
  ]);
});

test("every key is listed once, as it is in effect", () => {
  const rows = helpSections(new Keymap({ stop: "ctrl+x", quit: ["ctrl+q", "f10"] }), []).flatMap(
    (section) => section.rows,
  );
  expect(rows.map(({ text }) => text).toSorted()).toEqual(
    Object.values(KEY_ACTIONS)
      .map(({ help }) => help)
      .toSorted(),
  );
  expect(rows.filter(({ name }) => /ctrl\+[xq]/.test(name))).toEqual([
    { name: "ctrl+x", text: "stop the turn, close, leave" },
    { name: "ctrl+q, f10", text: "clear the input; twice on an empty one: quit" },
  ]);
});
