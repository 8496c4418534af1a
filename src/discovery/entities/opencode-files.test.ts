import { expect, test } from "bun:test";
import { listEntityPlaces } from "./entity-places.ts";
import { createEntityHome } from "./fixtures/entity-home.ts";

const head = (...lines: readonly string[]): string => ["---", ...lines, "---", "Do it."].join("\n");

test.each([
  { path: "agent/x.md", text: head("mode: nonsense"), line: 2, fault: 'mode must be "subagent", "primary" or "all"' },
  { path: "agents/x.md", text: head("description: X", "steps: many"), line: 3, fault: "steps must be a number" },
  { path: "agent/x.md", text: head("tools:", "  write: deny"), line: 2, fault: "tools.write must be true or false" },
  { path: "command/x.md", text: head("subtask: maybe"), line: 2, fault: "subtask must be true or false" },
])("a Markdown file that OpenCode rejects is a problem: $fault", async ({ path, text, line, fault }) => {
  await using home = await createEntityHome({ [`project/.opencode/${path}`]: text });
  const { registry } = await home.discover();
  const type = path.startsWith("agent") ? "agent" : "command";
  expect(registry.get(type, "x")).toBeUndefined();
  expect(registry.problems.map(({ types: _types, ...problem }) => problem)).toEqual([
    {
      path: `${home.project}/.opencode/${path}`,
      line,
      message: fault,
      remedy: "Correct it: OpenCode rejects the file, and does not start.",
      severity: "error",
    },
  ]);
});

test("an agent that is disabled in its Markdown file is not there, as in OpenCode", async () => {
  await using home = await createEntityHome({
    "project/.opencode/agent/x.md": head("disable: true"),
    "project/.opencode/agent/y.md": head("disable: false"),
    "project/.claude/agents/z.md": head("disable: true"),
  });
  const { registry } = await home.discover();
  expect([registry.allAgents().map(({ name }) => name), registry.problems]).toEqual([["y", "z"], []]);
});

test("a configuration of OpenCode's is read once, for its skills and its definitions", async () => {
  const configOf = (name: string): string =>
    JSON.stringify({ agent: { [name]: { description: "A" } }, skills: { paths: ["skills"] } });
  await using home = await createEntityHome({ "project/opencode.json": configOf("first") });
  const places = await listEntityPlaces({ projectDirectory: home.project, homeDirectory: home.home });
  await home.write({ "project/opencode.json": configOf("second") });
  const config = places.find(({ path }) => path === `${home.project}/opencode.json`);
  const read = await config?.read(() => ({}));
  expect(read?.entities.map(({ name }) => name)).toEqual(["first"]);
});
