import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createEntityHome, type EntityHome } from "./fixtures/entity-home.ts";

test("of two definitions with one name in a folder, the second is a problem that names the first", async () => {
  await using home = await createEntityHome({
    "project/.claude/agents/a.md": "---\nname: Same\n---\nFirst.",
    "project/.claude/agents/team/b.md": "---\nname: same\n---\nSecond.",
    "home/.claude/agents/c.md": "---\nname: same\n---\nThird.",
  });
  const { registry, problems } = await home.discover();
  expect(registry.getAgent("same")?.prompt).toBe("First.");
  expect(problems).toEqual([
    {
      path: `${home.project}/.claude/agents/team/b.md`,
      message: `The agent "same" is also defined in ${home.project}/.claude/agents/a.md, which is used`,
      remedy: "Rename or remove one of them.",
      severity: "warning",
      types: ["agent"],
    },
  ]);
});

/** The problems, without the root of the test. */
async function problemsOf(home: EntityHome, options: Parameters<EntityHome["discover"]>[0] = {}) {
  const { problems } = await home.discover(options);
  return problems.map(({ path, line, message, remedy, severity }) =>
    `${severity} ${[path, line].filter((part) => part !== undefined).join(":")}: ${message}. ${remedy}`.replaceAll(
      `${home.root}/`,
      "",
    ),
  );
}

test("a file that no vendor reads because of its name or its place is a problem", async () => {
  await using home = await createEntityHome({
    "project/.claude/agents/wrong.MD": "Do it.",
    "project/.claude/agents/README.md": "# Ours",
    "project/.claude/agents/notes.txt": "Later.",
    "project/.github/agents/big.Agent.MD": "Do it.",
    "project/.claude/skills/small/skill.md": "Do it.",
    "project/.claude/skills/flat.md": "Do it.",
    "project/.claude/skills/readme.md": "# Ours",
    "project/.claude/skills/empty/notes.txt": "Later.",
    "project/.claude/skills/good/SKILL.md": "Do it.",
    "project/.claude/skills/good/reference.md": "More.",
    "project/.claude/skills/group/deep/SKILL.md": "Do it.",
    "project/.claude/skills/_shared/a.md": "More.",
  });
  const spelling = "The file is not read, because capital and small letters count in its name";
  expect(await problemsOf(home)).toEqual([
    `warning project/.claude/agents/wrong.MD: ${spelling}. Rename it to wrong.md.`,
    "warning project/.claude/skills/empty: The folder has no SKILL.md. Write it, or remove the folder.",
    "warning project/.claude/skills/flat.md: The file is not read: a skill is a folder with a SKILL.md. Move it to flat/SKILL.md.",
    `warning project/.claude/skills/small/skill.md: ${spelling}. Rename it to SKILL.md.`,
    `warning project/.github/agents/big.Agent.MD: ${spelling}. Rename it to big.agent.md.`,
  ]);
});

test("a file that is not in UTF-8 is read as vendors read it, with a problem", async () => {
  await using home = await createEntityHome({
    "project/.claude/agents/old.md": Buffer.from("---\nname: old\n---\nPr\u00fcfe es.", "latin1"),
    "project/opencode.json": Buffer.from('{"agent": {"a": {"prompt": "Pr\u00fcfe."}}}', "latin1"),
  });
  expect(await problemsOf(home)).toEqual([
    "warning project/.claude/agents/old.md:4: The file is not in UTF-8, so some letters were lost. Save it in UTF-8.",
    "warning project/opencode.json:1: The file is not in UTF-8, so some letters were lost. Save it in UTF-8.",
  ]);
  const { registry } = await home.discover();
  expect([registry.getAgent("old")?.prompt, registry.getAgent("a")?.prompt]).toEqual(["Pr\ufffdfe es.", "Pr\ufffdfe."]);
});

test("plugins that are gone or not installed, and settings that cannot be read, are problems", async () => {
  await using home = await createEntityHome({
    "plugins/good/agents/helper.md": "---\nname: helper\n---\nHelp.",
    "plugins/gone/agents/lost.md": "---\nname: lost\n---\nHelp.",
    "home/.claude/settings.json": '{"enabledPlugins": {"good@shop": true, "new@shop": true, "own@builtin": true}}',
    "project/.claude/settings.json": '{"enabledPlugins": {"theirs@shop": true}}',
  });
  const plugin = (name: string) => [{ scope: "user", installPath: join(home.root, "plugins", name) }];
  const installed = { plugins: { "good@shop": plugin("good"), "gone@shop": plugin("gone") } };
  await home.write({ "home/.claude/plugins/installed_plugins.json": JSON.stringify(installed) });
  await rm(join(home.root, "plugins/gone"), { recursive: true });
  const own = [
    'warning home/.claude/settings.json: The plugin "new@shop" is switched on, but not installed. Install it with Claude Code, or switch it off.',
    'error plugins/gone: The folder of the plugin "gone@shop" does not exist. Install the plugin again with Claude Code.',
  ];
  expect((await problemsOf(home, { isTrusted: false })).toSorted()).toEqual(own.toSorted());
  expect((await problemsOf(home, { isTrusted: true })).toSorted()).toEqual(
    [
      ...own,
      'warning project/.claude/settings.json: The plugin "theirs@shop" is switched on, but not installed. Install it with Claude Code, or switch it off.',
    ].toSorted(),
  );
  await home.write({ "home/.claude/settings.json": '{"enabledPlugins": {' });
  expect(await problemsOf(home, { isTrusted: false })).toContain(
    "error home/.claude/settings.json:1: It is not valid JSON: close brace expected. Correct the file: for now, plugins that it switches off are used.",
  );
});

test("a file of OpenCode's configuration that does not exist is named, without the system's words", async () => {
  await using home = await createEntityHome({
    "project/opencode.json": '{"agent": {"a": {"prompt": "{file:./gone.txt}"}}, "command": {"b": {"template": 7}}}',
  });
  const { problems } = await home.discover();
  expect(problems.map(({ message, types }) => [message, types])).toEqual([
    ["agent.a: {file:./gone.txt} cannot be read: it does not exist", ["agent"]],
    ["command.b.template must be a text", ["command"]],
  ]);
});

test("an entry of OpenCode's configuration that cannot be used keeps its name", async () => {
  await using home = await createEntityHome({
    "project/opencode.json": '{"agent": {"worker": {"prompt": "Work.", "tool": {}}}}',
    "home/.claude/agents/worker.md": "---\nname: worker\n---\nWork.",
  });
  const { registry } = await home.discover();
  expect(registry.problemOf("agent", "Worker")?.message).toBe('Unknown field "tool"; did you mean "tools"?');
  expect(registry.problemOf("agent", "other")).toBeUndefined();
});

test("a name of thousands of characters is a problem, and floods no list", async () => {
  const long = "x".repeat(5_000);
  await using home = await createEntityHome({
    "project/.claude/agents/short.md": `---\nname: ${long}\naliases: [${long}, brief]\n---\nDo it.`,
    "project/opencode.json": JSON.stringify({ agent: { [long]: { prompt: "Do it." } } }),
  });
  const { registry } = await home.discover();
  expect(registry.all("agent").map(({ name, aliases }) => ({ name, aliases }))).toEqual([
    { name: "short", aliases: ["brief"] },
  ]);
  expect(await problemsOf(home)).toEqual([
    'warning project/.claude/agents/short.md: Its name has more than 200 characters, so it is called "short". Give it a shorter name.',
    expect.stringMatching(
      /^error project\/opencode\.json:1: agent\.x{60}… has a name with more than 200 characters\. /,
    ) as string,
  ]);
});
