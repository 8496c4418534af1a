import { expect, test } from "bun:test";
import type { EntityLocation, ProviderType, UnifiedEntity } from "./entity.ts";
import { createEntityRegistry } from "./entity-registry.ts";

function command(name: string, more: Partial<UnifiedEntity> = {}): UnifiedEntity {
  return {
    type: "command",
    name,
    description: name,
    prompt: name,
    fields: {},
    source: { provider: "atomic", location: "project" },
    ...more,
  };
}

test("names are found in any case, and aliases where no name is the same", () => {
  const registry = createEntityRegistry();
  registry.register(command("Commit", { aliases: ["ci", "push"] }));
  registry.register(command("push"));
  expect(registry.getCommand("commit")?.name).toBe("Commit");
  expect(registry.getCommand(" CI ")?.name).toBe("Commit");
  expect(registry.getCommand("push")?.name).toBe("push");
  expect(registry.getCommand("pull")).toBeUndefined();
  expect(registry.getAgent("commit")).toBeUndefined();
  expect(registry.getCommand("__proto__")).toBeUndefined();
});

test("precedence decides, not the order of the calls; of equals the newer one is used", () => {
  const from = (provider: ProviderType, location: EntityLocation, prompt: string) =>
    command("x", { prompt, source: { provider, location } });
  const registry = createEntityRegistry();
  registry.register(from("claude", "project", "1"));
  registry.register(from("atomic", "user", "2"));
  registry.register(from("copilot", "project", "3"));
  expect(registry.getCommand("x")?.prompt).toBe("1");
  registry.register(from("claude", "project", "4"));
  expect(registry.getCommand("x")?.prompt).toBe("4");
  registry.register(from("atomic", "project", "5"));
  expect(registry.allCommands().map(({ prompt }) => prompt)).toEqual(["5"]);
  expect(registry.entries("command").map(({ entity, shadowedBy }) => [entity.prompt, shadowedBy?.prompt])).toEqual([
    ["1", "5"],
    ["2", "5"],
    ["3", "5"],
    ["4", "5"],
    ["5", undefined],
  ]);
});

test("a search finds names and aliases that begin so", () => {
  const registry = createEntityRegistry();
  for (const entity of [command("review"), command("Rebase"), command("commit", { aliases: ["record"] })]) {
    registry.register(entity);
  }
  expect(registry.searchCommands("RE").map(({ name }) => name)).toEqual(["commit", "Rebase", "review"]);
  expect(registry.searchCommands("").map(({ name }) => name)).toEqual(["commit", "Rebase", "review"]);
  expect(registry.searchSkills("re")).toEqual([]);
});

test("a hint is that of the command, else of the skill", () => {
  const registry = createEntityRegistry();
  registry.register(command("commit", { argumentHint: "[message]" }));
  registry.register(command("pdf", { type: "skill", argumentHint: "FILE" }));
  expect([registry.getArgumentHint("commit"), registry.getArgumentHint("PDF"), registry.getArgumentHint("x")]).toEqual([
    "[message]",
    "FILE",
    undefined,
  ]);
});
