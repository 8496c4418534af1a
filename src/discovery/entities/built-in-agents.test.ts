import { expect, test } from "bun:test";
import { createDebugReport } from "../../graph/index.ts";
import { BUILT_IN_AGENTS } from "./built-in-agents.ts";
import type { UnifiedEntity } from "./entity.ts";
import { createEntityRegistry } from "./entity-registry.ts";
import { toolListOf } from "./tool-list-of.ts";
import { toolProblemsOf } from "./tool-problems.ts";

const READING = ["read", "grep", "glob", "list"];
const NO_EDITS = ["*", "!edit", "!write"];

const limits: Readonly<Record<string, readonly string[]>> = {
  "codebase-analyzer": READING,
  "codebase-locator": READING,
  "codebase-pattern-finder": READING,
  "codebase-research-analyzer": READING,
  explore: READING,
  plan: NO_EDITS,
  planner: NO_EDITS,
  researcher: [...READING, "webfetch", "websearch"],
  reviewer: NO_EDITS,
};

function find(name: string): UnifiedEntity | undefined {
  const registry = createEntityRegistry();
  for (const agent of BUILT_IN_AGENTS) registry.register(agent);
  return registry.getAgent(name);
}

test.each(BUILT_IN_AGENTS)("$name has the tools of its role, spelled correctly", (agent) => {
  expect(toolListOf(agent)).toEqual(limits[agent.name]);
  expect(toolProblemsOf(agent.fields, { type: "agent", provider: "atomic" })).toEqual([]);
});

test("the agents that may not edit say so in their first paragraph", () => {
  const silent = BUILT_IN_AGENTS.filter(({ name }) => limits[name] !== undefined).filter(
    ({ prompt }) => !/\b(?:not|or) (?:judge or )?change (?:files|it|them)\./.test(prompt.split("\n\n")[0] ?? ""),
  );
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test.each([
  { alias: "task", name: "general-purpose" },
  { alias: "general", name: "general-purpose" },
  { alias: "Code-Review", name: "reviewer" },
])("$alias is another name of $name", ({ alias, name }) => {
  expect(find(alias)?.name).toBe(name);
});

test("the report of the debugger has the fields of a DebugReport, in their types", () => {
  const [, block = ""] = /```json\n([\s\S]*?)\n```$/.exec(find("debugger")?.prompt ?? "") ?? [];
  const typesOf = (report: object) =>
    Object.entries(report).map(([key, value]) => [key, Array.isArray(value) ? "list" : typeof value]);
  expect(typesOf(JSON.parse(block))).toEqual(typesOf(createDebugReport(new Error("x"))));
});
