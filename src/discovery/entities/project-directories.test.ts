import { expect, test } from "bun:test";
import { join } from "node:path";
import { createEntityHome } from "./fixtures/entity-home.ts";
import { toolListOf } from "./tool-list-of.ts";

const agent = (name: string, tools = "Read"): string =>
  `---\nname: ${name}\ndescription: ${name}\ntools: ${tools}\n---\nWork.`;

const FILES = {
  "project/.git/HEAD": "",
  "project/.claude/agents/root.md": agent("root"),
  "project/.claude/agents/shared.md": agent("shared", "Bash"),
  "project/.opencode/agent/deploy.md": "---\npermission: { bash: deny }\n---\nRoot.",
  "project/packages/a/.claude/agents/shared.md": agent("shared", "Grep"),
  "project/packages/a/.claude/commands/near.md": "Near.",
  "project/packages/a/.opencode/agent/deploy.md": "---\npermission: { webfetch: deny }\n---\nNear.",
  "project/packages/a/opencode.json": '{"command": {"two": {"template": "Two."}}}',
  "project/packages/b/.claude/commands/far.md": "Far.",
  "project/.github/prompts/ask.prompt.md": "Ask.",
};

test("definitions between the working directory and the project's root are found, and nearer ones precede", async () => {
  await using home = await createEntityHome(FILES);
  const workingDirectory = join(home.project, "packages/a/src");
  const { registry, problems } = await home.discover({ workingDirectory, isTrusted: true });
  expect(problems).toEqual([]);
  expect(registry.allCommands().map(({ name }) => name)).toEqual(["ask", "near", "two"]);
  const used = registry.allAgents().map((each) => [each.name, each.source.folder, toolListOf(each)]);
  expect(used).toEqual([
    ["deploy", "packages/a", ["*", "!webfetch", "!bash"]],
    ["root", undefined, ["Read"]],
    ["shared", "packages/a", ["Grep"]],
  ]);
  expect(registry.getCommand("two")?.source.folder).toBe("packages/a");
});

test.each(["", "packages", "../elsewhere"])(
  "from %j, only the folders on the way to the root count",
  async (folder) => {
    await using home = await createEntityHome(FILES);
    const { registry } = await home.discover({ workingDirectory: join(home.project, folder) });
    expect(registry.allCommands().map(({ name }) => name)).toEqual(["ask"]);
  },
);

test("in an untrusted project, those of its folders are not trusted either", async () => {
  await using home = await createEntityHome(FILES);
  const { registry } = await home.discover({ workingDirectory: join(home.project, "packages/a"), isTrusted: false });
  expect(registry.allCommands().every(({ source }) => source.isUntrusted)).toBe(true);
});

test("folders of the repository above a project are a problem each, because they are not read", async () => {
  await using home = await createEntityHome({ ...FILES, "project/packages/a/.atomic/config.json": "{}" });
  const projectDirectory = join(home.project, "packages/a");
  const { registry, problems } = await home.discover({ projectDirectory, workingDirectory: projectDirectory });
  expect(registry.getAgent("root")).toBeUndefined();
  expect(problems.map(({ path, message, types }) => [path, message, types])).toEqual(
    (
      [
        [".claude/agents", "agent"],
        [".opencode/agent", "agent"],
        [".github/prompts", "command"],
      ] as const
    ).map(([path, type]) => [
      join(home.project, path),
      `It is not read, because it is outside of the project ${projectDirectory}, which has a folder .atomic of its own`,
      [type],
    ]),
  );
});
