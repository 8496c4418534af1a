import { expect, test } from "bun:test";
import { join } from "node:path";
import { createEntityHome } from "./fixtures/entity-home.ts";
import { BUILT_IN_ENTITIES, initializeWorkflowsSDK } from "./initialize-workflows-sdk.ts";

const described = (name: string): string => `---\nname: ${name}\ndescription: Mine.\n---\nDo it.`;

test("the project precedes the user, and the user precedes what is built in", async () => {
  await using home = await createEntityHome({
    "home/.claude/agents/debugger.md": described("debugger"),
    "home/.claude/agents/worker.md": described("worker"),
    "project/.claude/agents/worker.md": described("worker"),
    "project/.opencode/agents/other.md": described("other"),
    "project/.claude/skills/broken/SKILL.md": "",
  });
  const registry = await initializeWorkflowsSDK({
    providers: ["claude"],
    projectPath: home.project,
    userPath: home.home,
  });
  expect(registry.allAgents().map(({ name, source }) => [name, source.location])).toEqual([
    ["codebase-analyzer", "builtin"],
    ["codebase-locator", "builtin"],
    ["codebase-pattern-finder", "builtin"],
    ["codebase-research-analyzer", "builtin"],
    ["debugger", "user"],
    ["explore", "builtin"],
    ["general-purpose", "builtin"],
    ["plan", "builtin"],
    ["planner", "builtin"],
    ["researcher", "builtin"],
    ["reviewer", "builtin"],
    ["worker", "project"],
  ]);
  expect(registry.problems.map(({ path, message }) => ({ path, message }))).toEqual([
    { path: join(home.project, ".claude/skills/broken/SKILL.md"), message: "The file is empty" },
  ]);
});

test("two registries share nothing", async () => {
  await using home = await createEntityHome();
  const places = { projectPath: home.project, userPath: home.home };
  const [first, second] = await Promise.all([initializeWorkflowsSDK(places), initializeWorkflowsSDK(places)]);
  const own = { type: "agent", name: "own", description: "", prompt: "", fields: {} } as const;
  first.register({ ...own, source: { provider: "atomic", location: "user" } });
  expect([first.getAgent("own")?.name, second.getAgent("own")?.name]).toEqual(["own", undefined]);
});

test("what is built in has a prompt, a description in one line and a unique name; skills say what may follow", () => {
  expect(BUILT_IN_ENTITIES.map(({ type, name, argumentHint }) => [type, name, argumentHint])).toEqual([
    ["agent", "codebase-analyzer", undefined],
    ["agent", "codebase-locator", undefined],
    ["agent", "codebase-pattern-finder", undefined],
    ["agent", "codebase-research-analyzer", undefined],
    ["agent", "debugger", undefined],
    ["agent", "explore", undefined],
    ["agent", "general-purpose", undefined],
    ["agent", "plan", undefined],
    ["agent", "planner", undefined],
    ["agent", "researcher", undefined],
    ["agent", "reviewer", undefined],
    ["agent", "worker", undefined],
    ["skill", "commit", "[instructions]"],
    ["skill", "create-feature-list", "<spec-path>"],
    ["skill", "create-gh-pr", "[title-or-instructions]"],
    ["skill", "create-spec", "<idea-or-path>"],
    ["skill", "explain-code", "<path> [function]"],
    ["skill", "implement-feature", "[task-id]"],
    ["skill", "research-codebase", "<question-or-topic>"],
  ]);
  const names = BUILT_IN_ENTITIES.flatMap(({ type, name, aliases = [] }) =>
    [name, ...aliases].map((own) => [type, own]),
  );
  expect(new Set(names.map(String)).size).toBe(names.length);
  for (const { type, description, prompt, source } of BUILT_IN_ENTITIES) {
    expect(source).toEqual({ provider: "atomic", location: "builtin" });
    expect(description).toMatch(/^[A-Z].{20,79}$/);
    expect(prompt.length).toBeGreaterThan(300);
    // Each argument has one place, and no built-in skill runs a command before the agent starts.
    expect(prompt.split("$ARGUMENTS")).toHaveLength(type === "skill" ? 2 : 1);
    expect(prompt).not.toMatch(/!`/);
  }
});
