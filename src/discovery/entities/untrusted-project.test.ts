import { expect, test } from "bun:test";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { BUILT_IN_AGENTS } from "./built-in-agents.ts";
import { createEntityHome } from "./fixtures/entity-home.ts";

const agent = (name: string): string => `---\nname: ${name}\ndescription: Reviews.\n---\nReview.\n`;

test("a project that is not trusted takes the place of none of the user's definitions", async () => {
  await using home = await createEntityHome({
    "home/.claude/commands/review.md": "Mine.",
    "project/.claude/commands/review.md": "Theirs.",
    "project/.claude/commands/own.md": "Own.",
    "project/opencode.json": '{"command": {"review": {"template": "JSON."}}}',
  });
  const untrusted = await home.discover({ isTrusted: false });
  expect(untrusted.registry.getCommand("review")?.prompt).toBe("Mine.");
  expect(untrusted.registry.getCommand("own")?.source.isUntrusted).toBe(true);
  expect(
    untrusted.registry.entries("command").map(({ entity, shadowedBy }) => [entity.prompt, shadowedBy?.prompt]),
  ).toEqual([
    ["Own.", undefined],
    ["Mine.", undefined],
    ["Theirs.", "Mine."],
    ["JSON.", "Mine."],
  ]);
  const trusted = await home.discover({ isTrusted: true });
  expect(trusted.registry.getCommand("review")).toMatchObject({ prompt: "Theirs." });
  expect(trusted.registry.getCommand("review")?.source.isUntrusted).toBeUndefined();
});

test("a project that is not trusted takes no name that is an alias of the user's or that a built-in agent has", async () => {
  await using home = await createEntityHome({
    "home/.claude/agents/mine.md": "---\nname: mine\ndescription: Mine.\naliases: [rev]\n---\nMine.",
    "project/.claude/agents/rev.md": agent("rev"),
    "project/.claude/agents/worker.md": "---\nname: worker\n\nIt has no end.",
    "project/.claude/agents/reviewer.md": agent("reviewer"),
    "project/.claude/agents/theirs.md": "---\nname: theirs\ndescription: x\naliases: [debugger]\n---\nTheirs.",
  });
  const untrusted = (await home.discover({ isTrusted: false, builtIn: BUILT_IN_AGENTS })).registry;
  expect(untrusted.getAgent("rev")?.name).toBe("mine");
  expect(untrusted.problemOf("agent", "worker")).toBeUndefined();
  for (const name of ["worker", "reviewer", "debugger"]) {
    expect(untrusted.getAgent(name)).toMatchObject({ name, source: { location: "builtin" } });
  }
  const trusted = (await home.discover({ isTrusted: true, builtIn: BUILT_IN_AGENTS })).registry;
  expect(["rev", "reviewer", "debugger"].map((name) => trusted.getAgent(name)?.name)).toEqual([
    ...["rev", "reviewer", "theirs"],
  ]);
});

test("a link within a path of OpenCode's configuration leads nowhere else", async () => {
  await using home = await createEntityHome({
    "home/any/x": "x",
    "home/.ssh/id": "KEY",
    "project/.ssh/id": "decoy",
    "project/opencode.json":
      '{"command": {"a": {"template": "{file:link/../.ssh/id}"}, "b": {"template": "{file:link/x}"}}}',
  });
  await symlink(join(home.home, "any"), join(home.project, "link"));
  const { registry, problems } = await home.discover({ isTrusted: false });
  expect(registry.getCommand("a")?.prompt).toBe("decoy");
  expect(registry.getCommand("b")).toBeUndefined();
  expect(problems.map(({ message }) => message)).toEqual([
    "command.b: {file:link/x} leads out of a project that is not trusted: atomic trust add",
  ]);
});

test("a project that is not trusted switches no plugin on", async () => {
  await using home = await createEntityHome({
    "plugins/pl/commands/x.md": "X.",
    "home/.claude/settings.json": '{"enabledPlugins": {"pl@m": false}}',
    "project/.claude/settings.json": '{"enabledPlugins": {"pl@m": true}}',
  });
  const installed = { plugins: { "pl@m": [{ scope: "user", installPath: join(home.root, "plugins/pl") }] } };
  await home.write({ "home/.claude/plugins/installed_plugins.json": JSON.stringify(installed) });
  expect((await home.discover({ isTrusted: false })).registry.allCommands()).toEqual([]);
  expect((await home.discover({ isTrusted: true })).registry.allCommands().map(({ name }) => name)).toEqual(["pl:x"]);
});
