import { expect, test } from "bun:test";
import type { CommandDefinition } from "./command.ts";
import { CommandRegistry } from "./command-registry.ts";

function command(name: string, more: Partial<CommandDefinition> = {}): CommandDefinition {
  return { name, description: `Does ${name}`, category: "builtin", execute: () => ({ success: true }), ...more };
}

function registryOf(...commands: readonly CommandDefinition[]): CommandRegistry {
  const registry = new CommandRegistry();
  for (const one of commands) registry.register(one);
  return registry;
}

test("a command is found by its name and its aliases, in any case", () => {
  const ralph = command("ralph", { aliases: ["loop"] });
  const registry = registryOf(ralph);
  expect([registry.get("Ralph"), registry.get("LOOP"), registry.get("ral")]).toEqual([ralph, ralph, undefined]);
  expect([registry.has("loop"), registry.has("other")]).toEqual([true, false]);
});

test("the search lists visible commands by prefix: the exact name, then names, then aliases", () => {
  const registry = registryOf(
    command("review"),
    command("resume", { aliases: ["re"] }),
    command("re"),
    command("secret-re", { hidden: true, aliases: ["red"] }),
    command("undo", { aliases: ["rewind"] }),
  );
  expect(registry.search("re").map(({ name }) => name)).toEqual(["re", "resume", "review", "undo"]);
  expect(registry.search("").map(({ name }) => name)).toEqual(["re", "resume", "review", "undo"]);
});

test("a command of the same name replaces the earlier one and its aliases", () => {
  const registry = registryOf(command("a", { aliases: ["b"] }), command("a"));
  expect(registry.get("b")).toBeUndefined();
  expect(registry.all()).toHaveLength(1);
});

test("an alias hides neither a name nor the alias of another command", () => {
  const [first, second, third] = [command("one", { aliases: ["x"] }), command("two"), command("three")];
  const registry = registryOf(first, second, { ...third, aliases: ["two", "x"] });
  expect(registry.get("two")).toBe(second);
  expect(registry.get("x")).toBe(first);
});

test("a removed command leaves no alias, and clear removes all", () => {
  const registry = registryOf(command("a", { aliases: ["b"] }), command("c"));
  expect([registry.unregister("A"), registry.unregister("a"), registry.has("b")]).toEqual([true, false, false]);
  registry.clear();
  expect(registry.all()).toEqual([]);
});
