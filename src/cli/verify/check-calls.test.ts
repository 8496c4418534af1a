import { expect, test } from "bun:test";
import { type CompiledGraph, graph, subgraphNode, toolNode } from "../../graph/index.ts";
import { type RegisteredWorkflow, UnknownWorkflowError } from "../../workflows/index.ts";
import { type CallPlace, findCallProblems, findOnce } from "./check-calls.ts";

type Config = Readonly<Record<string, unknown>>;

/** For each workflow, those that it runs: by name, or by name and config. */
type Calls = Readonly<Record<string, (config: Config) => readonly (string | readonly [string, Config])[]>>;

function graphOf(calls: readonly (string | readonly [string, Config])[]): CompiledGraph {
  return calls
    .reduce(
      (builder, call, at) => {
        const [name, config] = typeof call === "string" ? [call] : call;
        // The cast is true: the configs of this file are JSON.
        const settings = config === undefined ? {} : { config: config as Readonly<Record<string, string>> };
        return builder.then(subgraphNode({ id: `run-${at}-${name}`, subgraph: name, ...settings }));
      },
      graph().start(toolNode({ id: "begin", execute: () => 1 })),
    )
    .end()
    .compile();
}

async function problemsOf(calls: Calls, place: Partial<CallPlace> = {}) {
  const built: string[] = [];
  const find = async (name: string): Promise<RegisteredWorkflow> => {
    const callsOf = calls[name];
    if (callsOf === undefined) throw new UnknownWorkflowError(name, []);
    const create = async (config: Config = {}) => {
      built.push(`${name} ${JSON.stringify(config)}`);
      return graphOf(callsOf(config));
    };
    return { metadata: { name, description: "", aliases: [], source: "local" }, create };
  };
  const start = graphOf(calls.a?.({}) ?? []);
  const problems = await findCallProblems(start, { name: "a", find, ...place });
  return { messages: problems.map(({ message }) => message), built };
}

test("a workflow is checked with each config that nodes have for it, once", async () => {
  const calls: Calls = {
    a: () => ["b", ["b", { deep: true }], ["b", { deep: true }], "c"],
    b: ({ deep }) => (deep === true ? ["missing"] : []),
    c: () => [["b", { deep: true }]],
  };
  expect(await problemsOf(calls)).toEqual({
    messages: [
      'The node "run-0-missing" of the workflow "b" runs the workflow "missing", which does not exist or cannot be loaded',
    ],
    built: ["b {}", 'b {"deep":true}', "c {}"],
  });
});

test("a cycle that only one config has is found, and two ways that share names are none", async () => {
  const through: Calls = {
    a: () => ["b", ["b", { to: "c" }]],
    b: ({ to }) => (to === "c" ? ["c"] : []),
    c: () => [["b", { to: "nowhere" }]],
  };
  expect((await problemsOf(through)).messages).toEqual(["Workflows run each other in a cycle: b → c → b"]);
  const apart: Calls = {
    a: () => [
      ["b", { to: "c" }],
      ["c", { to: "b" }],
    ],
    b: ({ to }) => (to === "c" ? ["c"] : []),
    c: ({ to }) => (to === "b" ? ["b"] : []),
  };
  expect((await problemsOf(apart)).messages).toEqual([]);
});

test("each cycle is reported once, by its shortest way, and a workflow's own ones alone if wanted", async () => {
  const calls: Calls = { a: () => ["b", "x"], b: () => ["c", "a"], c: () => ["b"] };
  const missing = 'The node "run-1-x" runs the workflow "x", which does not exist or cannot be loaded';
  const cycle = "Workflows run each other in a cycle: a → b → a";
  expect((await problemsOf(calls)).messages).toEqual([
    missing,
    cycle,
    "Workflows run each other in a cycle: b → c → b",
  ]);
  expect((await problemsOf(calls, { isOwnOnly: true })).messages).toEqual([missing, cycle]);
  expect((await problemsOf(calls, { isOwnOnly: true, name: undefined })).messages).toEqual([missing]);
});

test("a workflow is found once, and again after a failure", async () => {
  const asked: string[] = [];
  const workflow: RegisteredWorkflow = {
    metadata: { name: "b", description: "", aliases: [], source: "local" },
    create: async () => graphOf([]),
  };
  const find = findOnce(async (name) => {
    asked.push(name);
    if (asked.length === 1) throw new UnknownWorkflowError(name, []);
    return workflow;
  });
  await expect(find("b")).rejects.toBeInstanceOf(UnknownWorkflowError);
  expect([await find("b"), await find("b"), asked]).toEqual([workflow, workflow, ["b", "b"]]);
});
