import { expect, test } from "bun:test";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { BUILT_IN_AGENTS } from "./built-in-agents.ts";
import type { DiscoverEntitiesOptions } from "./discover-entities.ts";
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

test("the path of a plugin may end with a slash; one in a project that is not trusted is not trusted", async () => {
  const files = (name: string) => ({
    [`${name}/.claude-plugin/plugin.json`]: '{"commands": "./more", "agents": "more/agents/"}',
    [`${name}/more/walk.md`]: "Walk.",
    [`${name}/more/agents/a.md`]: agent("a"),
  });
  await using home = await createEntityHome({
    ...files("plugins/out"),
    ...files("project/vendor/in"),
    ...files("home/.claude/plugins/cache/own"),
  });
  await symlink(join(home.project, "vendor/in"), join(home.root, "link"));
  const install = (path: string) => [{ scope: "user", installPath: `${join(home.root, path)}/` }];
  const plugins = {
    "out@m": install("plugins/out"),
    "in@m": install("project/vendor/../vendor/in"),
    "linked@m": install("link"),
    "own@m": install("home/.claude/plugins/cache/own"),
  };
  await home.write({ "home/.claude/plugins/installed_plugins.json": JSON.stringify({ plugins }) });
  const untrustedOf = async (options: Partial<DiscoverEntitiesOptions>) => {
    const { registry } = await home.discover(options);
    const all = [...registry.allCommands(), ...registry.allAgents()];
    return Object.fromEntries(all.map(({ name, source }) => [name, source.isUntrusted === true]));
  };
  const expected = (isUntrusted: boolean) => ({
    ...{ "out:walk": false, "out:a": false, "own:walk": false, "own:a": false },
    ...{ "in:walk": isUntrusted, "in:a": isUntrusted, "linked:walk": isUntrusted, "linked:a": isUntrusted },
  });
  expect(await untrustedOf({ isTrusted: false })).toMatchObject(expected(true));
  expect(await untrustedOf({ isTrusted: true })).toMatchObject(expected(false));
  // The folder of Claude Code is the user's, also where the home folder is the project.
  expect(await untrustedOf({ isTrusted: false, projectDirectory: home.home })).toMatchObject(expected(false));
});
