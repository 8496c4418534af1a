import { expect, test } from "bun:test";
import { join } from "node:path";
import { createConfigExpander } from "./expand-config-text.ts";
import { createEntityHome, type EntityHome } from "./fixtures/entity-home.ts";

function expanderOf({ project, home }: EntityHome) {
  return createConfigExpander({ folder: project, homeDirectory: home, env: { NAME: "Ada" } });
}

test("files and variables are put in, each as often as it is named", async () => {
  await using home = await createEntityHome({ "project/a.txt": "A\n", "home/b.txt": "B" });
  const expand = expanderOf(home);
  expect(await expand("{file:a.txt}{file:./a.txt} {file:~/b.txt} {env:NAME}, {env:NAME}, {env:NONE}.")).toBe(
    "AA B Ada, Ada, .",
  );
});

test("a file is read once for all texts of a configuration", async () => {
  await using home = await createEntityHome({ "project/a.txt": "old" });
  const expand = expanderOf(home);
  expect(await expand("{file:a.txt}")).toBe("old");
  await home.write({ "project/a.txt": "new" });
  expect(await expand("{file:a.txt}")).toBe("old");
  expect(await expanderOf(home)("{file:a.txt}")).toBe("new");
});

test("a configuration that names files too often is a problem, in one text or in many", async () => {
  await using home = await createEntityHome({ "project/a": "" });
  const tooOften = "Files and variables are named more than 1000 times";
  await expect(expanderOf(home)("{file:a}".repeat(130_000))).rejects.toThrow(tooOften);
  const expand = expanderOf(home);
  for (let count = 0; count < 1_000; count++) await expand("{file:a}");
  await expect(expand("{file:a}")).rejects.toThrow(tooOften);
  expect(await expand("plain")).toBe("plain");
});

test("what files put into one text is limited", async () => {
  await using home = await createEntityHome({ "project/a": "x".repeat(1_048_575) });
  const expand = expanderOf(home);
  expect(await expand("{file:a}")).toHaveLength(1_048_575);
  await expect(expand("{file:a}{file:a}")).rejects.toThrow("The files in it have more than 1048576 characters");
});

test("agents of an untrusted project whose prompts name a file very often are problems", async () => {
  const prompt = "{file:a}".repeat(1_200);
  const agent = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`a${index}`, { prompt }]));
  await using home = await createEntityHome({ "project/opencode.json": JSON.stringify({ agent }), "project/a": "" });
  const { registry, problems } = await home.discover({ isTrusted: false });
  expect(registry.allAgents()).toEqual([]);
  const path = join(home.project, "opencode.json");
  expect(problems).toHaveLength(20);
  expect(problems[0]).toMatchObject({ path, message: expect.stringContaining("more than 1000 times") });
});

test("variables and files are put into every field of an entry, and into its keys", async () => {
  await using home = await createEntityHome({
    "project/opencode.json": JSON.stringify({
      agent: {
        a: { prompt: "Go.", model: "{env:MODEL}", description: "{file:a.txt}", tools: { "{env:TOOL}": false } },
      },
    }),
    "project/a.txt": "Works",
  });
  const { registry, problems } = await home.discover({ isTrusted: true, env: { MODEL: "openai/gpt-5", TOOL: "bash" } });
  const { description, vendorModel, deniedTools } = registry.getAgent("a") ?? {};
  expect({ description, vendorModel, deniedTools, problems }).toEqual({
    description: "Works",
    vendorModel: "openai/gpt-5",
    deniedTools: ["bash"],
    problems: [],
  });
});

test("where an entry names a file that cannot be read, no other definition of its name is used", async () => {
  await using home = await createEntityHome({
    "project/opencode.json": '{"agent": {"a": {"prompt": "{file:missing}", "tools": {"bash": false}}}}',
    "project/.opencode/agent/a.md": "Work.",
    "home/.claude/agents/a.md": "---\nname: a\ndescription: A\n---\nWork.",
  });
  const { registry } = await home.discover({ isTrusted: true });
  expect(registry.problemOf("agent", "a")?.message).toStartWith("agent.a: {file:missing} cannot be read");
});
