import { expect, test } from "bun:test";
import { createEntityHome } from "./fixtures/entity-home.ts";
import { toolListOf } from "./tool-list-of.ts";

const md = (...lines: readonly string[]): string => ["---", ...lines, "---", "Review."].join("\n");
const json = (entry: unknown, name = "review"): string => JSON.stringify({ agent: { [name]: entry } });

const PROJECT = "project/.opencode/agent/review.md";
const USER = "home/.config/opencode/agent/review.md";

test.each<{ title: string; files: Readonly<Record<string, string>>; tools: readonly string[] | undefined }>([
  {
    title: "opencode.json",
    files: {
      "project/opencode.json": json({ tools: { bash: false }, permission: { webfetch: "deny" } }),
      [PROJECT]: md("description: R"),
    },
    tools: ["*", "!bash", "!webfetch"],
  },
  {
    title: "a file of the user's",
    files: {
      [USER]: md("tools: { write: false }", "permission:", '  bash: { "rm *": deny }'),
      [PROJECT]: md("description: R", "permission:", '  bash: { "git push *": deny }'),
    },
    tools: ["*", "!edit", "!write", "!bash(rm:*)", "!bash(git push:*)"],
  },
  {
    title: "the user's opencode.json, as permission: deny",
    files: {
      "home/.config/opencode/opencode.jsonc": json({ permission: "deny" }),
      [PROJECT]: md("permission:", "  read: allow"),
    },
    tools: ["read"],
  },
  {
    title: "an entry without a text, above the file with the text",
    files: { "project/opencode.json": json({ tools: { bash: false } }), [USER]: md("description: R") },
    tools: ["*", "!bash"],
  },
  {
    title: "the folder agents, beside agent",
    files: { "project/.opencode/agents/review.md": md("tools: { bash: false }"), [PROJECT]: md("description: R") },
    tools: ["*", "!bash"],
  },
  {
    title: "a layer that a later one lifts",
    files: { "project/opencode.json": json({ tools: { bash: false } }), [PROJECT]: md("tools: { bash: true }") },
    tools: undefined,
  },
  {
    title: "~/.opencode, which OpenCode applies last",
    files: { "home/.opencode/agent/review.md": md("tools: { bash: false }"), [PROJECT]: md("tools: { bash: true }") },
    tools: ["*", "!bash"],
  },
  {
    title: "both spellings of disallowed-tools",
    files: {
      "project/opencode.json": json({ "disallowed-tools": "bash", disallowedTools: ["webfetch"] }),
      [USER]: md("disallowed_tools: task"),
      [PROJECT]: md("disallowedTools: edit"),
    },
    tools: ["*", "!bash", "!webfetch", "!task", "!edit"],
  },
  {
    title: "allowed-tools beside those of tools",
    files: {
      "project/opencode.json": json({ allowedTools: ["read", "bash"], tools: { webfetch: false } }),
      [PROJECT]: md("tools: { bash: false }"),
    },
    tools: ["read", "!bash", "!webfetch"],
  },
  {
    title: "no entry of another name",
    files: { "project/opencode.json": json({ tools: { bash: false } }, "other"), [PROJECT]: md("description: R") },
    tools: undefined,
  },
])("an OpenCode agent keeps the limits of $title", async ({ files, tools }) => {
  await using home = await createEntityHome(files);
  const { registry } = await home.discover({ isTrusted: true });
  const agent = registry.getAgent("review");
  expect(agent === undefined ? "none" : toolListOf(agent)).toEqual(tools);
  expect(registry.problems).toEqual([]);
});

test("the layers of an agent add up: the first file has the text, and each field is the last layer's", async () => {
  await using home = await createEntityHome({
    "project/opencode.json": json({ model: "anthropic/claude-haiku-4-5", description: "J", prompt: "From JSON." }),
    [PROJECT]: md("description: R", "mode: subagent"),
  });
  const { registry } = await home.discover({ isTrusted: true });
  const { description, prompt, vendorModel, source } = registry.getAgent("review") ?? {};
  expect({ description, prompt, vendorModel, source }).toEqual({
    description: "R",
    prompt: "Review.",
    vendorModel: "anthropic/claude-haiku-4-5",
    source: { provider: "opencode", location: "project", path: `${home.root}/${PROJECT}` },
  });
});

test("the layers of a command add up, too", async () => {
  await using home = await createEntityHome({
    "project/opencode.json": JSON.stringify({ command: { c: { template: "JSON", agent: "plan" } } }),
    "project/.opencode/command/c.md": md("description: C"),
  });
  const { registry } = await home.discover({ isTrusted: true });
  const { agent, prompt } = registry.getCommand("c") ?? {};
  expect({ agent, prompt }).toEqual({ agent: "plan", prompt: "Review." });
});

test("a definition of OpenCode's own plan or explore keeps the limits of that agent, unless it lifts them", async () => {
  await using home = await createEntityHome({
    "project/.opencode/agent/plan.md": md("description: P"),
    "project/.opencode/agent/explore.md": md("description: E", "permission: { bash: deny }"),
    "home/.claude/agents/build.md": md("name: build", "description: B"),
  });
  const limit = async (name: string) => {
    const agent = (await home.discover({ isTrusted: true })).registry.getAgent(name);
    return agent && toolListOf(agent);
  };
  expect(await limit("plan")).toEqual(["*", "!edit", "!write"]);
  expect(await limit("explore")).toEqual(["grep", "glob", "list", "webfetch", "websearch", "read", "!bash"]);
  expect(await limit("build")).toBeUndefined();
  await home.write({ "project/.opencode/agent/plan.md": md("permission: { edit: allow }") });
  expect(await limit("plan")).toBeUndefined();
});

test("a definition names the file that its text is from", async () => {
  await using home = await createEntityHome({
    "project/.opencode/agent/review.md": "Root.",
    "project/a/.opencode/agent/review.md": "Near.",
  });
  const { registry } = await home.discover({ workingDirectory: `${home.project}/a` });
  const { prompt, source } = registry.getAgent("review") ?? {};
  // OpenCode applies the folder of the root last.
  expect([prompt, source?.path]).toEqual(["Root.", `${home.project}/.opencode/agent/review.md`]);
});

test("what is set for an agent of OpenCode's own limits the commands that name it", async () => {
  await using home = await createEntityHome({
    "home/.config/opencode/opencode.json": json({ permission: { webfetch: "deny" } }, "build"),
    "project/opencode.json": json({ tools: { bash: false } }, "build"),
    "project/.opencode/command/c.md": md("agent: build"),
    "project/.opencode/command/d.md": md("agent: review"),
    [PROJECT]: md("tools: { write: false }"),
  });
  const { registry } = await home.discover({ isTrusted: true });
  const limits = registry.allCommands().map((command) => [command.name, toolListOf(command)]);
  expect(limits).toEqual([
    ["c", ["*", "!bash", "!webfetch"]],
    ["d", undefined],
  ]);
});

test.each<{ title: string; agent: unknown; command: readonly string[]; tools: readonly string[] }>([
  {
    title: "permission",
    agent: { permission: { bash: "allow", webfetch: "deny" } },
    command: ["permission: { bash: deny, webfetch: allow }"],
    tools: ["*", "!bash", "!webfetch"],
  },
  {
    title: "permission for all tools",
    agent: { permission: { bash: "allow" }, tools: { task: false } },
    command: ['permission: { "*": deny, read: allow }'],
    tools: ["read", "!task"],
  },
  {
    title: "list",
    agent: { permission: { "*": "deny", read: "allow", bash: "allow" } },
    command: ["tools: Grep, Bash(git:*), Read"],
    tools: ["Bash(git:*)", "Read"],
  },
  {
    title: "list of whole tools",
    agent: { "allowed-tools": "Bash(git:*), Read" },
    command: ["tools: Grep, Bash"],
    tools: ["Bash(git:*)"],
  },
  {
    title: "disallowedTools",
    agent: { "disallowed-tools": "webfetch", tools: { bash: false } },
    command: ["disallowedTools: task"],
    tools: ["*", "!task", "!webfetch", "!bash"],
  },
  { title: "list, and the agent allows nothing", agent: { permission: "deny" }, command: ["tools: Read"], tools: [] },
])("a command with a $title of its own keeps the limits of its agent, too", async ({ agent, command, tools }) => {
  await using home = await createEntityHome({
    "project/opencode.json": json(agent, "build"),
    "project/.opencode/command/c.md": md("agent: build", ...command),
  });
  const { registry } = await home.discover({ isTrusted: true });
  const found = registry.getCommand("c");
  expect([registry.problems, found && toolListOf(found)]).toEqual([[], tools]);
});

test("an agent that a layer switches off is not there", async () => {
  await using home = await createEntityHome({
    "home/.config/opencode/opencode.json": json({ disable: true }),
    [PROJECT]: md("description: R"),
  });
  const { registry } = await home.discover({ isTrusted: true });
  expect([registry.getAgent("review"), registry.problems]).toEqual([undefined, []]);
});

test("a layer whose limit cannot be read makes the definition unusable", async () => {
  await using home = await createEntityHome({
    [USER]: md("permissions: { bash: deny }"),
    [PROJECT]: md("description: R"),
  });
  const { registry } = await home.discover({ isTrusted: true });
  expect(registry.problemOf("agent", "review")?.message).toBe(
    'Unknown field "permissions"; did you mean "permission"?',
  );
});

test("a project that is not trusted changes none of the user's definitions", async () => {
  await using home = await createEntityHome({
    "project/opencode.json": json({ disable: true, tools: { read: false } }),
    [PROJECT]: md("tools: { edit: true }"),
    [USER]: md("tools: { bash: false, edit: false }"),
  });
  const { registry } = await home.discover({ isTrusted: false });
  const agent = registry.getAgent("review");
  expect([agent?.source.location, agent && toolListOf(agent)]).toEqual(["user", ["*", "!bash", "!edit", "!write"]]);
});
