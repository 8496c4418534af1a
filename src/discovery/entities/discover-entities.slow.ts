import { expect, test } from "bun:test";
import { chmod, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { UnifiedEntity } from "./entity.ts";
import { createEntityHome } from "./fixtures/entity-home.ts";

const AGENT = "---\nname: NAME\ndescription: Reviews.\n---\nReview.\n";
const agent = (name: string): string => AGENT.replace("NAME", name);

function summary({ name, source: { provider, location } }: UnifiedEntity): string {
  return `${name} ${provider} ${location}`;
}

test("an agent has all that its file says", async () => {
  await using home = await createEntityHome({
    "project/.claude/agents/review.md":
      "---\nname: reviewer\ndescription: Reviews: all.\ntools: Read, Bash(git:*)\nmodel: claude-opus-4-5\ncolor: blue\n---\n\nReview it.\n",
  });
  const { registry, problems } = await home.discover();
  const path = join(home.project, ".claude/agents/review.md");
  expect(problems).toEqual([]);
  expect(registry.getAgent("REVIEWER")).toEqual({
    type: "agent",
    name: "reviewer",
    description: "Reviews: all.",
    aliases: ["review"],
    prompt: "Review it.",
    tools: ["read", "bash"],
    vendorTools: ["Read", "Bash(git:*)"],
    model: "opus",
    vendorModel: "claude-opus-4-5",
    fields: {
      name: "reviewer",
      description: "Reviews: all.",
      tools: "Read, Bash(git:*)",
      model: "claude-opus-4-5",
      color: "blue",
    },
    source: { provider: "claude", location: "project", path },
  });
});

test("a folder of Claude Code's commands with a SKILL.md is one command, with the other files beside it", async () => {
  await using home = await createEntityHome({
    "project/.claude/commands/pdf/SKILL.md": "Read PDFs.",
    "project/.claude/commands/pdf/forms.md": "Forms.",
    "project/.claude/commands/pdf/deep/more.md": "More.",
    "project/.claude/commands/git/tag/skill.md": "Tag.",
    "project/.claude/commands/git/push.md": "Push.",
    "project/.atomic/commands/xls/SKILL.md": "Read tables.",
  });
  const { registry, problems } = await home.discover();
  expect(problems).toEqual([]);
  expect(registry.allCommands().map(({ name, directory }) => [name, directory])).toEqual([
    ["git:push", undefined],
    ["git:tag", join(home.project, ".claude/commands/git/tag")],
    ["pdf", join(home.project, ".claude/commands/pdf")],
    ["pdf:deep:more", undefined],
    ["xls:SKILL", join(home.project, ".atomic/commands/xls")],
  ]);
});

test("the folders of skills that OpenCode's configuration names are read, and a missing one is a problem", async () => {
  await using home = await createEntityHome({
    "project/opencode.json": '{"skills": {"paths": ["./more", "~/shared", "{env:THIRD}", "./none"]}}',
    "project/more/one/SKILL.md": "One.",
    "home/shared/deep/two/SKILL.md": "Two.",
    "third/three/SKILL.md": "Three.",
    "home/.config/opencode/opencode.json": '{"skills": {"paths": ["~/own"]}}',
    "home/own/four/SKILL.md": "Four.",
  });
  const skills = async (isTrusted: boolean) => {
    const { registry, problems } = await home.discover({ isTrusted, env: { THIRD: join(home.root, "third") } });
    return [registry.allSkills().map(summary), problems.map(({ message }) => message.slice(0, 70))];
  };
  expect(await skills(true)).toEqual([
    ["four opencode user", "one opencode project", "three opencode project", "two opencode project"],
    ['skills.paths names "./none", which is not read: it does not exist'],
  ]);
  expect(await skills(false)).toEqual([
    ["four opencode user", "one opencode project"],
    [
      'skills.paths names "~/shared", which is not read: it leads out of a pr',
      'skills.paths names "{env:THIRD}", which is not read: {env:THIRD} needs',
      'skills.paths names "./none", which is not read: it does not exist',
    ],
  ]);
});

test("every vendor's folders are read", async () => {
  await using home = await createEntityHome({
    "project/.atomic/agents/a1.md": "Do it.",
    "project/.claude/agents/nested/a2.md": agent("a2"),
    "project/.opencode/agent/team/a3.md": "---\nmode: subagent\n---\nDo it.",
    "project/.opencode/agents/a4.md": "Do it.",
    "project/.opencode/modes/a5.md": "Do it.",
    "project/.github/agents/a6.agent.md": "Do it.",
    "project/.github/agents/a7.md": "Do it.",
    "project/.github/chatmodes/a8.chatmode.md": "Do it.",
    "home/.claude/agents/a9.md": agent("a9"),
    "home/.config/opencode/agents/b1.md": "Do it.",
    "home/.opencode/agent/b2.md": "Do it.",
    "home/.copilot/agents/b3.agent.md": "Do it.",
    "home/.config/.copilot/agents/b4.md": "Do it.",
    "home/.atomic/agents/b5.md": "Do it.",
    "home/.atomic/.claude/agents/b6.md": agent("b6"),
    "home/.atomic/.opencode/agents/b7.md": "Do it.",
    "home/.atomic/.copilot/agents/b8.md": "Do it.",
    "project/.claude/commands/git/commit.md": "Commit.",
    "project/.opencode/command/git/push.md": "Push.",
    "project/.opencode/commands/pull.md": "Pull.",
    "project/.github/prompts/plan.prompt.md": "Plan.",
    "project/.atomic/commands/ship.md": "Ship.",
    "project/.claude/skills/pdf/SKILL.md": "Read PDFs.",
    "project/.opencode/skill/deep/xls/SKILL.md": "Read tables.",
    "project/.agents/skills/doc/SKILL.md": "Read texts.",
    "project/.github/skills/svg/SKILL.md": "Draw.",
    "project/.atomic/skills/png/SKILL.md": "Paint.",
    "project/.github/instructions/ts.instructions.md": "---\napplyTo: '**/*.ts'\n---\nUse types.",
    "project/.github/copilot-instructions.md": "Be kind.",
    "project/AGENTS.md": "Be brief.",
    "project/CLAUDE.md": "Be good.",
    "home/.claude/CLAUDE.md": "Be quiet.",
  });
  const { registry, problems } = await home.discover();
  expect(problems).toEqual([]);
  expect(registry.allAgents().map(summary)).toEqual([
    "a1 atomic project",
    "a2 claude project",
    "a4 opencode project",
    "a5 opencode project",
    "a6 copilot project",
    "a7 copilot project",
    "a8 copilot project",
    "a9 claude user",
    "b1 opencode user",
    "b2 opencode user",
    "b3 copilot user",
    "b4 copilot user",
    "b5 atomic user",
    "b6 claude user",
    "b7 opencode user",
    "b8 copilot user",
    "team/a3 opencode project",
  ]);
  expect(registry.allCommands().map(summary)).toEqual([
    "git:commit claude project",
    "git/push opencode project",
    "plan copilot project",
    "pull opencode project",
    "ship atomic project",
  ]);
  expect(registry.allSkills().map(summary)).toEqual([
    "doc opencode project",
    "pdf claude project",
    "png atomic project",
    "svg copilot project",
    "xls opencode project",
  ]);
  expect(registry.allInstructions().map(summary)).toEqual([
    "AGENTS opencode project",
    "CLAUDE claude project",
    "copilot-instructions copilot project",
    "ts copilot project",
  ]);
  expect(registry.getSkill("pdf")?.directory).toBe(join(home.project, ".claude/skills/pdf"));
  expect(registry.getAgent("a1")?.description).toBe("Agent: a1");
  expect(registry.getCommand("ship")?.description).toBe("Ship.");
});

test("the project's come before the user's, those before built-in ones, and shadowed ones stay visible", async () => {
  const text = (place: string): string => `---\nname: same\ndescription: ${place}\n---\nDo it.`;
  await using home = await createEntityHome({
    "home/.atomic/.claude/agents/same.md": text("managed"),
    "home/.claude/agents/same.md": text("user"),
    "project/.github/agents/same.md": text("github"),
    "project/.opencode/agents/same.md": text("opencode"),
    "project/.claude/agents/same.md": text("claude"),
    "project/.atomic/agents/same.md": text("atomic"),
  });
  const builtIn: UnifiedEntity = {
    type: "agent",
    name: "Same",
    description: "built-in",
    prompt: "Do it.",
    fields: {},
    source: { provider: "atomic", location: "builtin" },
  };
  const { registry } = await home.discover({ builtIn: [builtIn] });
  expect(registry.getAgent("same")?.description).toBe("atomic");
  expect(registry.allAgents()).toHaveLength(1);
  const entries = registry
    .entries("agent")
    .map(({ entity, shadowedBy }) => [entity.description, shadowedBy?.description]);
  expect(entries.toSorted()).toEqual([
    ["atomic", undefined],
    ["built-in", "atomic"],
    ["claude", "atomic"],
    ["github", "atomic"],
    ["managed", "atomic"],
    ["opencode", "atomic"],
    ["user", "atomic"],
  ]);
  const withoutAtomic = await home.discover({ providers: ["opencode", "copilot", "claude"] });
  expect(withoutAtomic.registry.getAgent("same")?.description).toBe("claude");
});

test("each broken file is one problem, and stops no other", async () => {
  await using home = await createEntityHome({
    "project/.claude/agents/good.md": agent("good"),
    "project/.claude/agents/README.md": "# Our agents",
    "project/.claude/agents/empty.md": " \n",
    "project/.claude/agents/binary.md": new Uint8Array([1, 0, 2]),
    "project/.claude/agents/large.md": "x".repeat(1_048_577),
    "project/.claude/agents/full.md": `---\nname: full\n---\n${"x".repeat(1_000_000)}`,
    "project/.claude/agents/open.md": "---\nname: open\n\nDo it.",
    "project/.claude/agents/utf16.md": Buffer.from(`\ufeff${agent("wide")}`, "utf16le"),
    "project/.claude/agents/node_modules/x/y.md": agent("foreign"),
    "project/.claude/commands/nothing.md": "---\ndescription: Nothing.\n---\n",
    "project/.opencode/opencode.json": "{ nonsense",
    "secret/outside.md": agent("outside"),
  });
  const agents = join(home.project, ".claude/agents");
  await symlink(join(home.root, "secret/outside.md"), join(agents, "link.md"));
  await symlink(join(home.root, "secret"), join(agents, "folder"));
  await symlink(join(agents, "nowhere.md"), join(agents, "dangling.md"));
  await symlink(agents, join(agents, "cycle"));
  await mkdir(join(agents, "dir.md"));
  const { registry, problems } = await home.discover();
  expect(registry.allAgents().map(({ name }) => name)).toEqual(["full", "good", "open", "wide"]);
  const short = problems.map(({ path, line, message, severity }) => [
    path.slice(home.project.length),
    line,
    message,
    severity,
  ]);
  expect(short.toSorted()).toEqual([
    ["/.claude/agents/binary.md", 1, "This is not text", "error"],
    ["/.claude/agents/dangling.md", undefined, "The link points to nothing", "error"],
    ["/.claude/agents/empty.md", 1, "The file is empty", "error"],
    ["/.claude/agents/folder", undefined, `The link leads out of its root, to ${home.root}/secret`, "error"],
    ["/.claude/agents/large.md", undefined, "It is larger than 1048576 bytes", "error"],
    [
      "/.claude/agents/link.md",
      undefined,
      `The link leads out of its root, to ${home.root}/secret/outside.md`,
      "error",
    ],
    ["/.claude/agents/open.md", 1, 'The frontmatter has no end. Write a line with "---" after it', "warning"],
    ["/.claude/commands/nothing.md", undefined, "Nothing follows the frontmatter", "warning"],
    ["/.opencode/opencode.json", 1, "It is not valid JSON: invalid symbol", "error"],
  ]);
});

test.skipIf(process.getuid?.() === 0)("a file that may not be read is a problem", async () => {
  await using home = await createEntityHome({ "project/.claude/agents/mine.md": agent("mine") });
  const path = join(home.project, ".claude/agents/mine.md");
  await chmod(path, 0);
  const { problems } = await home.discover();
  expect(problems.map((problem) => problem.path)).toEqual([path]);
});

test("in the home folder a definition is the user's, once", async () => {
  await using home = await createEntityHome({ "home/.claude/agents/mine.md": agent("mine") });
  const { registry } = await home.discover({ projectDirectory: home.home });
  expect(registry.entries("agent").map(({ entity }) => summary(entity))).toEqual(["mine claude user"]);
});

test("the environment's folders take the place of the standard ones", async () => {
  await using home = await createEntityHome({
    "home/.claude/agents/no.md": agent("no"),
    "elsewhere/claude/agents/yes.md": agent("yes"),
    "elsewhere/xdg/opencode/agents/too.md": "Do it.",
    "elsewhere/atomic/agents/three.md": "Do it.",
  });
  const { registry } = await home.discover({
    claudeConfigDirectory: join(home.root, "elsewhere/claude"),
    xdgConfigDirectory: join(home.root, "elsewhere/xdg"),
    atomicHome: join(home.root, "elsewhere/atomic"),
  });
  expect(registry.allAgents().map(({ name }) => name)).toEqual(["three", "too", "yes"]);
});

test("OpenCode's configuration defines agents and commands", async () => {
  await using home = await createEntityHome({
    "project/opencode.jsonc": `{
      // JSON with comments
      "agent": {
        "reviewer": { "description": "Reviews", "prompt": "{file:./prompts/review.txt}", "tools": { "write": false }, "model": "anthropic/claude-sonnet-5-5" },
        "build": { "model": "x/y" },
        "off": { "prompt": "No.", "disable": true },
        "thief": { "prompt": "{file:/etc/hostname}" },
        "spy": { "prompt": "{env:SECRET}" },
      },
      "command": { "test": { "template": "Run $ARGUMENTS", "agent": "build", "subtask": true } },
    }`,
    "project/prompts/review.txt": "Review it.\n",
    "home/.config/opencode/opencode.json":
      '{"commands": {"hello": {"template": "Hello {env:NAME} and {file:~/who.txt}"}}}',
    "home/who.txt": "you\n",
  });
  const { registry, problems } = await home.discover({ env: { NAME: "Ada", SECRET: "s3cret" } });
  expect(registry.getAgent("reviewer")).toMatchObject({
    prompt: "Review it.",
    deniedTools: ["write"],
    model: "sonnet",
    source: { provider: "opencode", location: "project", path: join(home.project, "opencode.jsonc") },
  });
  expect(registry.getCommand("test")).toMatchObject({
    prompt: "Run $ARGUMENTS",
    agent: "build",
    fields: { subtask: true },
  });
  expect(registry.getCommand("hello")?.prompt).toBe("Hello Ada and you");
  expect(registry.allAgents().map(({ name }) => name)).toEqual(["reviewer"]);
  expect(problems.map(({ message }) => message)).toEqual([
    "agent.thief: {file:/etc/hostname} leads out of a project that is not trusted: atomic trust add",
    "agent.spy: {env:SECRET} needs a trusted project: atomic trust add",
  ]);
  const trusted = await home.discover({ env: { SECRET: "s3cret" }, isTrusted: true });
  expect(trusted.registry.getAgent("spy")?.prompt).toBe("s3cret");
});

test("a plugin of Claude Code brings definitions with its name before theirs, unless it is switched off", async () => {
  await using home = await createEntityHome({
    "plugins/good/.claude-plugin/plugin.json": '{"name": "good", "skills": "./more"}',
    "plugins/good/agents/helper.md": agent("helper"),
    "plugins/good/commands/run.md": "Run.",
    "plugins/good/more/walk/SKILL.md": "Walk.",
    "plugins/good/skills/fly/SKILL.md": "---\nname: fly\n---\nFly.",
    "plugins/off/agents/never.md": agent("never"),
    "plugins/mine/agents/local.md": agent("local"),
    "plugins/other/agents/other.md": agent("other"),
    "home/.claude/settings.json": '{"enabledPlugins": {"off@shop": false}}',
  });
  const installed = {
    version: 2,
    plugins: {
      "good@shop": [{ scope: "user", installPath: join(home.root, "plugins/good") }],
      "off@shop": [{ scope: "user", installPath: join(home.root, "plugins/off") }],
      "mine@shop": [{ scope: "project", projectPath: home.project, installPath: join(home.root, "plugins/mine") }],
      "other@shop": [{ scope: "project", projectPath: "/elsewhere", installPath: join(home.root, "plugins/other") }],
    },
  };
  await home.write({ "home/.claude/plugins/installed_plugins.json": JSON.stringify(installed) });
  const { registry, problems } = await home.discover();
  expect(problems).toEqual([]);
  expect(registry.allAgents().map(summary)).toEqual(["good:helper claude user", "mine:local claude project"]);
  expect(registry.allCommands().map(({ name }) => name)).toEqual(["good:run"]);
  expect(registry.allSkills().map(({ name }) => name)).toEqual(["good:fly", "good:walk"]);
  expect(registry.getSkill("good:fly")?.source.plugin).toBe("good");
});

test("people who look for faults hear what was found", async () => {
  await using home = await createEntityHome({
    "project/.claude/agents/a.md": agent("a"),
    "project/.claude/skills/b/SKILL.md": "Do it.",
  });
  const lines: string[] = [];
  await home.discover({ providers: ["claude", "opencode"], onDebug: (line) => lines.push(line) });
  expect(lines).toEqual([
    "[workflows] Registered 2 entities from claude (1 skills, 1 agents, 0 commands, 0 instructions)",
    "[workflows] Registered 0 entities from opencode (0 skills, 0 agents, 0 commands, 0 instructions)",
  ]);
});

test("too many definitions, or too much text, are read in part, with one problem", async () => {
  const large = "x".repeat(1_000_000);
  await using home = await createEntityHome({ "project/.claude/commands/c00.md": large, "project/big": large });
  for (let index = 1; index < 70; index++) {
    await symlink("c00.md", join(home.project, `.claude/commands/c${String(index).padStart(2, "0")}.md`));
  }
  const entry = (name: number): string => `"e${name}": {"template": "{file:big}"}`;
  await home.write({
    "project/opencode.json": `{"command": {${Array.from({ length: 30 }, (_, name) => entry(name)).join(", ")}}}`,
  });
  const { registry, problems } = await home.discover();
  const ofFolder = registry.allCommands().filter(({ name }) => name.startsWith("c"));
  expect(ofFolder).toHaveLength(64);
  expect(registry.allCommands()).toHaveLength(64 + 17);
  expect(problems.map(({ message }) => message)).toEqual([
    "It has too many definitions, or too long ones: 6 of 70 were not read",
    "command.e16: The texts of all entries are too long; those after it were not read",
  ]);
});
