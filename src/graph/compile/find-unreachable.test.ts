import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { graph } from "../builder.ts";
import { GraphValidationError } from "../errors/errors.ts";
import { node, TestState } from "../fixtures/test-nodes.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import { decisionNode } from "../nodes/flow/decision-node.ts";
import { parallelNode } from "../nodes/flow/parallel-node.ts";
import { toolNode } from "../nodes/tools/tool-node.ts";

const step = (id: string): NodeDefinition<TestState> => toolNode({ id, execute: () => id });
const choice = (id: string, ...targets: readonly (string | readonly string[])[]): NodeDefinition<TestState> =>
  decisionNode({ id, routes: targets.map((target) => ({ condition: () => true, target })) });
const anywhere = (id: string): NodeDefinition<TestState> => node(id);

/** The problems that `compile()` reports. */
function problemsOf(builder: { compile(): unknown }): readonly string[] {
  try {
    builder.compile();
  } catch (error) {
    if (error instanceof GraphValidationError) return error.problems;
    throw error;
  }
  return [];
}

interface Case {
  readonly title: string;
  readonly build: () => { compile(): unknown };
}

describe("compile() reports that no path leads to", () => {
  test.each<Case & { readonly problems: readonly string[] }>([
    {
      title: "steps that every route of a decision jumps over, a stretch at a time",
      build: () =>
        graph(TestState)
          .start(choice("go", "d", "f"))
          .then([step("b"), step("c"), step("d"), choice("back", "d"), step("e"), step("f")])
          .end(),
      problems: [
        'no path leads to "b", "c"; route to them, or remove them',
        'no path leads to "e"; route to it, or remove it',
      ],
    },
    {
      title: "nodes that lead to each other only",
      build: () =>
        graph(TestState)
          .start(choice("go", "end"))
          .then([choice("ping", "pong"), choice("pong", "ping"), step("end")])
          .end(),
      problems: ['no path leads to "ping", "pong"; route to them, or remove them'],
    },
    {
      title: "nodes that another brings along and does not go to",
      build: () => {
        const brings = { ...choice("go", "last"), parts: [{ kind: "node" as const, node: step("spare") }] };
        return graph(TestState).start(brings).then(step("last")).end();
      },
      problems: ['no path leads to "spare"; route to it, or remove it'],
    },
    {
      title: "steps after a loop that can only fail",
      build: () =>
        graph(TestState)
          .start(step("a"))
          .loop(step("b"), { maxIterations: 3, onMaxIterations: "fail" })
          .then(step("c"))
          .end(),
      problems: ['no path leads to "c"; route to it, or remove it'],
    },
    {
      title: "blocks, with all that is in them, and the handler of what is never reached",
      build: () => {
        const skipped = graph(TestState)
          .start(choice("go", "last"))
          .if(() => true)
          .then(step("then"))
          .else()
          .loop(step("body"), { maxIterations: 2 })
          .endif()
          .parallel([[step("left"), step("lefter")], step("right")])
          .map(() => [1], graph(TestState).start(step("each")).catch(step("rescue")))
          .then(step("last"));
        return skipped.end();
      },
      problems: [
        'no path leads to "then", "body", "left", "lefter", "right", "each", "rescue"; route to them, or remove them',
      ],
    },
    {
      title: "a step within a branch, while the one beside it may go anywhere",
      build: () =>
        graph(TestState)
          .start(step("a"))
          .parallel([
            [choice("go", "c"), step("b"), step("c")],
            [anywhere("free"), choice("on", "e"), step("d"), step("e")],
          ])
          .end(),
      problems: ['no path leads to "b"; route to it, or remove it'],
    },
  ])("$title", ({ build, problems }) => expect(problemsOf(build())).toEqual(problems));

  test("nothing, beside a route to nowhere, whose target cannot be known", () => {
    const builder = graph(TestState)
      .start(choice("go", "lsat"))
      .then([step("b"), step("last")])
      .end();
    expect(problemsOf(builder)).toEqual(['"go" routes to "lsat", which is not a node of the graph']);
  });
});

test("compile() reports a decision without routes, and the steps after it", () => {
  expect(problemsOf(graph(TestState).start(choice("go")).then(step("b")).end())).toEqual([
    '"go" has no routes; give it one, or a fallback',
    'no path leads to "b"; route to it, or remove it',
  ]);
});

describe("a path leads", () => {
  test.each<Case>([
    {
      title: "to everything in the branch of a node that does not say where it goes",
      build: () =>
        graph(TestState)
          .start(anywhere("free"))
          .then([choice("go", "last"), step("b"), step("last")])
          .end(),
    },
    {
      title: "from a node with targets to the next step as well",
      build: () =>
        graph(TestState)
          .start(node("maybe", () => undefined, { targets: ["last"] }))
          .then([step("b"), step("last")])
          .end(),
    },
    {
      title: "after the last of several targets",
      build: () =>
        graph(TestState)
          .start(choice("go", ["a", "b"]))
          .then([step("a"), choice("b", "a"), step("behind")])
          .end(),
    },
    {
      title: "to the branches of a parallelNode and on",
      build: () =>
        graph(TestState)
          .start(parallelNode<TestState>({ id: "both", branches: [step("left"), step("right")] }))
          .then(step("behind"))
          .end(),
    },
    {
      title: "from what may fail to its handler and the steps after it",
      build: () =>
        graph(TestState)
          .start([choice("go", "go")])
          .catch(step("rescue"))
          .then(step("behind"))
          .end(),
    },
    {
      title: "after a loop that ends by its condition or its limit",
      build: () =>
        graph(TestState)
          .start(step("a"))
          .loop(step("b"), { until: () => true, onMaxIterations: "fail" })
          .loop(step("c"), { maxIterations: 2 })
          .then(step("d"))
          .end(),
    },
  ])("$title", ({ build }) => expect(problemsOf(build())).toEqual([]));
});

test("no node that a run visits is ever called unreachable", async () => {
  const size = 7;
  const place = fc.integer({ min: 0, max: size - 1 });
  const kinds = fc.array(fc.option(fc.array(place, { minLength: 1, maxLength: 2 }), { nil: undefined }), {
    minLength: size,
    maxLength: size,
  });
  let unreachableCount = 0;
  await fc.assert(
    fc.asyncProperty(kinds, fc.array(fc.nat(), { minLength: 1 }), async (routes, chances) => {
      const build = (first: NodeDefinition<TestState>) => {
        let draw = 0;
        const nodes = routes.map((targets, index) => {
          if (targets === undefined) return step(`n${index}`);
          const conditions = targets.map((target, which) => ({
            condition: () => (chances[draw++ % chances.length] ?? 0) % 2 === 0 || which === targets.length - 1,
            target: `n${target}`,
          }));
          return decisionNode<TestState>({ id: `n${index}`, routes: conditions });
        });
        return graph(TestState).start(first).then(nodes).end();
      };
      const reported = problemsOf(build(step("first"))).flatMap((problem) => problem.match(/n\d/g) ?? []);
      unreachableCount += reported.length;
      const visited = new Set<string>();
      // The same graph after a node that may go anywhere, so that it compiles.
      await build(anywhere("first"))
        .compile()
        .run({}, { maxSteps: 40, onEvent: (event) => event.type === "node-start" && visited.add(event.nodeId) });
      expect(reported.filter((id) => visited.has(id))).toEqual([]);
    }),
  );
  expect(unreachableCount).toBeGreaterThan(0);
});
