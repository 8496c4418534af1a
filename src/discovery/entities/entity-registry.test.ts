import { expect, test } from "bun:test";
import { join } from "node:path";
import type { EntityLocation, ProviderType, UnifiedEntity } from "./entity.ts";
import { createEntityRegistry } from "./entity-registry.ts";
import { createEntityHome } from "./fixtures/entity-home.ts";

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
    ["5", undefined],
    ["4", "5"],
    ["1", "5"],
    ["3", "5"],
    ["2", "5"],
  ]);
});

test("names that differ only in case are one name, and what is used comes first", () => {
  const registry = createEntityRegistry();
  registry.register(command("Review", { source: { provider: "claude", location: "user" } }));
  registry.register(command("review", { source: { provider: "claude", location: "project" } }));
  expect(registry.entries("command").map(({ entity, shadowedBy }) => [entity.name, shadowedBy?.name])).toEqual([
    ["review", undefined],
    ["Review", "review"],
  ]);
});

test("an alias in a file precedes the name of a built-in entity, which is then shadowed", () => {
  const registry = createEntityRegistry();
  const builtIn = command("reviewer", { source: { provider: "atomic", location: "builtin" } });
  registry.register(builtIn);
  expect(registry.getCommand("reviewer")).toBe(builtIn);
  const own = command("Code review", { aliases: ["Reviewer"] });
  registry.register(own);
  expect(registry.getCommand("reviewer")).toBe(own);
  expect(registry.allCommands()).toEqual([own]);
  expect(registry.entries("command")).toEqual([{ entity: own }, { entity: builtIn, shadowedBy: own }]);
});

test("a provider's definitions are registered from a project and from a home", async () => {
  await using home = await createEntityHome({
    "project/.opencode/agents/plan.md": "Plan here.",
    "project/.opencode/commands/empty.md": "",
    "project/.claude/agents/other.md": "---\nname: other\ndescription: Other.\n---\nOther.",
    "home/.config/opencode/agents/plan.md": "Plan anywhere.",
    "home/.config/opencode/commands/ship.md": "Ship.",
  });
  const registry = createEntityRegistry();
  await registry.registerFromProvider("opencode", home.home, { location: "user" });
  expect(registry.getAgent("plan")?.prompt).toBe("Plan anywhere.");
  await registry.registerFromProvider("opencode", home.project);
  expect(registry.getAgent("plan")?.prompt).toBe("Plan here.");
  expect(registry.allAgents().map(({ name }) => name)).toEqual(["plan"]);
  expect(registry.allCommands().map(({ name, source }) => [name, source.location])).toEqual([["ship", "user"]]);
  expect(registry.problems).toEqual([
    {
      path: join(home.project, ".opencode/commands/empty.md"),
      line: 1,
      message: "The file is empty",
      remedy: "Write the prompt into it, or remove it.",
      severity: "error",
      types: ["command"],
    },
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
