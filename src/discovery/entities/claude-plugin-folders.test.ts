import { expect, test } from "bun:test";
import { join } from "node:path";
import { createEntityHome } from "./fixtures/entity-home.ts";

const AGENT = "---\nname: NAME\ndescription: Helps.\n---\nHelp.\n";

const FILES = {
  "plug/agents/top.md": AGENT.replace("NAME", "first"),
  "plug/agents/sub/nested.md": AGENT.replace("name: NAME\n", ""),
  "plug/agents/sub/named.md": AGENT.replace("NAME", "other"),
  "plug/commands/run.md": "Run.",
  "plug/skills/fly/SKILL.md": "Fly.",
  "plug/extra/more.md": "More.",
  "plug/extra/ag.md": AGENT.replace("name: NAME\n", ""),
  "plug/own/walk/SKILL.md": "Walk.",
};

const STANDARD = { agents: ["plug:first", "plug:sub:nested", "plug:sub:other"], commands: ["plug:run"] };

test.each<{ title: string; manifest?: object; entry?: object; found: Readonly<Record<string, readonly string[]>> }>([
  { title: "the standard folders", found: { ...STANDARD, skills: ["plug:fly"] } },
  {
    title: "files that take the place of the standard folders",
    manifest: { commands: ["./extra/more.md"], agents: "./extra/ag.md", skills: "./own" },
    found: { agents: ["plug:ag"], commands: ["plug:more"], skills: ["plug:fly", "plug:walk"] },
  },
  {
    title: "commands with names of their own",
    manifest: { commands: { about: { source: "./extra/more.md" }, inline: { content: "x" } } },
    found: { agents: STANDARD.agents, commands: ["plug:about"], skills: ["plug:fly"] },
  },
  {
    title: "what the marketplace adds",
    entry: { strict: false, agents: ["./extra/ag.md"], commands: ["./extra"], skills: ["./own/walk"] },
    found: {
      agents: ["plug:ag", ...STANDARD.agents],
      commands: ["plug:ag", "plug:more", "plug:run"],
      skills: ["plug:fly", "plug:walk"],
    },
  },
  {
    title: "nothing outside of the plugin",
    entry: { commands: ["../other.md", "./missing.md"] },
    found: {
      ...STANDARD,
      skills: ["plug:fly"],
      problems: ['The plugin names "./missing.md" as its commands, which does not exist'],
    },
  },
])("a plugin of Claude Code has $title", async ({ manifest, entry = {}, found }) => {
  await using home = await createEntityHome({
    ...FILES,
    ...(manifest === undefined
      ? {}
      : { "plug/.claude-plugin/plugin.json": JSON.stringify({ name: "plug", ...manifest }) }),
    "shop/.claude-plugin/marketplace.json": JSON.stringify({ name: "shop", plugins: [{ name: "plug", ...entry }] }),
  });
  const installPath = join(home.root, "plug");
  await home.write({
    "home/.claude/plugins/installed_plugins.json": JSON.stringify({ plugins: { "plug@shop": [{ installPath }] } }),
    "home/.claude/plugins/known_marketplaces.json": JSON.stringify({
      shop: { installLocation: join(home.root, "shop") },
    }),
  });
  const { registry, problems } = await home.discover();
  const names = (entities: readonly { readonly name: string }[]) => entities.map(({ name }) => name);
  const named: Readonly<Record<string, readonly string[]>> = {
    agents: names(registry.allAgents()),
    commands: names(registry.allCommands()),
    skills: names(registry.allSkills()),
  };
  const faults = problems.map(({ message }) => message);
  expect(faults.length === 0 ? named : { ...named, problems: faults }).toEqual(found);
});
