import { expect, test } from "bun:test";
import type { CommandDefinition } from "./command.ts";
import { CommandRegistry } from "./command-registry.ts";

function command(name: string, more: Partial<CommandDefinition> = {}): CommandDefinition {
  return { name, description: name, category: "builtin", execute: () => ({ success: true }), ...more };
}

test("subscribers are called once for each change of the commands, and not after they left", () => {
  const registry = new CommandRegistry();
  const revisions: number[] = [];
  const leave = registry.subscribe(() => revisions.push(registry.revision()));
  registry.register(command("model"));
  registry.register(command("model", { aliases: ["m"] }));
  registry.unregister("nothing");
  registry.unregister("model");
  registry.clear();
  leave();
  registry.register(command("help"));
  expect(revisions).toEqual([1, 2, 3, 4]);
});
