import { expect, test } from "bun:test";
import type { WorkflowMetadata } from "../../contracts/index.ts";
import type { DiscoveredWorkflow } from "../../discovery/index.ts";
import { CompiledGraph, graph, toolNode } from "../../graph/index.ts";
import { ATOMIC_METADATA } from "../atomic/atomic-metadata.ts";
import { RALPH_METADATA } from "../ralph/ralph-metadata.ts";
import { REVIEW_METADATA } from "../review/review-metadata.ts";
import { WRITE_METADATA } from "../write/write-metadata.ts";
import { createWorkflowRegistry } from "./workflow-registry.ts";

const BUILDER = graph()
  .start(toolNode({ id: "step", execute: () => 1 }))
  .end();

interface Found {
  readonly name: string;
  readonly source?: "local" | "global";
  readonly aliases?: readonly string[];
  readonly create?: DiscoveredWorkflow["create"];
}

function found({ name, source = "local", aliases = [], create = () => BUILDER.compile() }: Found): DiscoveredWorkflow {
  const metadata: WorkflowMetadata = { name, description: name, aliases, source };
  return { metadata, path: `/${source}/${name}.ts`, source, create };
}

test("the built-in workflows are always there", async () => {
  const { workflows, problems, find } = createWorkflowRegistry([]);
  expect(workflows.map(({ metadata, path }) => ({ metadata, path }))).toEqual([
    { metadata: RALPH_METADATA, path: undefined },
    { metadata: ATOMIC_METADATA, path: undefined },
    { metadata: REVIEW_METADATA, path: undefined },
    { metadata: WRITE_METADATA, path: undefined },
  ]);
  expect(problems).toEqual([]);
  for (const { metadata } of workflows) expect(await find(metadata.name).create()).toBeInstanceOf(CompiledGraph);
});

test.each(["review", "REVIEW", "Review", "rv", "RV"])("%s finds the workflow by name or alias, in any case", (name) => {
  const registry = createWorkflowRegistry([found({ name: "Review", aliases: ["rv"] })]);
  expect(registry.find(name).metadata.name).toBe("Review");
});

test("the built-in one is found also where another has its name", async () => {
  const registry = createWorkflowRegistry([found({ name: "ralph" })]);
  expect(registry.findBuiltIn("ralph").metadata).toBe(RALPH_METADATA);
  expect(() => registry.findBuiltIn("research")).toThrow(
    'There is no workflow "research". Known workflows: ralph, atomic, review, write.',
  );
});

test("the project comes before the user, and both before what is built in", () => {
  const registry = createWorkflowRegistry([
    found({ name: "ralph", source: "global" }),
    found({ name: "Ralph", source: "local" }),
    found({ name: "other", source: "global" }),
  ]);
  expect(registry.workflows.map(({ metadata, path }) => `${metadata.source} ${path}`)).toEqual([
    "local /local/Ralph.ts",
    "global /global/other.ts",
    "builtin undefined",
    "builtin undefined",
    "builtin undefined",
  ]);
  expect(registry.find("ralph").path).toBe("/local/Ralph.ts");
  expect(registry.problems).toEqual([]);
});

test("a workflow that takes Ralph's alias leaves Ralph its name", () => {
  const registry = createWorkflowRegistry([found({ name: "loop" })]);
  expect(registry.find("loop").path).toBe("/local/loop.ts");
  expect(registry.find("ralph").metadata.aliases).toEqual([]);
});

test("two of one name in one place are a problem", () => {
  const { problems } = createWorkflowRegistry([found({ name: "a" }), found({ name: "A" })]);
  expect(problems.map(({ message }) => message)).toEqual([
    'Two workflow files have the name "A": /local/a.ts and /local/A.ts.',
  ]);
});

test.each([
  {
    name: "reveiw",
    message: 'There is no workflow "reveiw". Did you mean "review"? List them with: atomic workflows list',
  },
  {
    name: "zzzzzzz",
    message:
      'There is no workflow "zzzzzzz". Known workflows: review, rv, ralph, loop, atomic, write. List them with: atomic workflows list',
  },
  {
    name: "",
    message:
      'There is no workflow "". Known workflows: review, rv, ralph, loop, atomic, write. List them with: atomic workflows list',
  },
])('"$name" is no workflow', ({ name, message }) => {
  const registry = createWorkflowRegistry([found({ name: "review", aliases: ["rv"] })]);
  expect(() => registry.find(name)).toThrow(message);
});

test("the configuration reaches the author's function, also an asynchronous one", async () => {
  const given: unknown[] = [];
  const create = async (config: unknown): Promise<unknown> => {
    given.push(config);
    return BUILDER.compile();
  };
  const registry = createWorkflowRegistry([found({ name: "review", create })]);
  expect(await registry.find("review").create({ depth: 2 })).toBeInstanceOf(CompiledGraph);
  expect(given).toEqual([{ depth: 2 }]);
});

test.each([
  { title: "nothing", create: () => undefined },
  { title: "an object", create: () => ({ program: {} }) },
  { title: "a promise of something else", create: async () => 1 },
  { title: "a graph that was not compiled", create: () => BUILDER },
])("the error for a function that returns $title says how to end its graph", async ({ create }) => {
  const registry = createWorkflowRegistry([found({ name: "review", create })]);
  await expect(registry.find("review").create()).rejects.toThrow(
    'The workflow "review" (/local/review.ts) does not return a compiled graph. End its graph with .end().compile() and return that.',
  );
});

test("what the author's function throws is passed on as it is", async () => {
  const thrown = new Error("mine");
  const create = (): never => {
    throw thrown;
  };
  const registry = createWorkflowRegistry([found({ name: "review", create })]);
  await expect(registry.find("review").create()).rejects.toBe(thrown);
});
