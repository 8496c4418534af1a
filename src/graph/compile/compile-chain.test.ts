import { describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { GraphValidationError } from "../errors/errors.ts";
import { failing, logs, node, TestState } from "../fixtures/test-nodes.ts";
import type { NodeDefinition } from "../model/node-definition.ts";

const [a, b, c, d] = ["a", "b", "c", "d"].map((id) => node(id)) as [Node, Node, Node, Node]; // map keeps the length
type Node = NodeDefinition<TestState>;

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

describe("compile() reports", () => {
  test.each<{ title: string; build: () => { compile(): unknown }; problems: readonly string[] }>([
    {
      title: "a graph without steps and without an end",
      build: () => graph(TestState),
      problems: ["the graph has no end; finish it with end()", "the graph has no steps; begin with start(node)"],
    },
    {
      title: "a graph that does not begin with start()",
      build: () => graph(TestState).then(a).end(),
      problems: ["then() was called before start(); begin the graph with start()"],
    },
    {
      title: "a second start()",
      build: () => graph(TestState).start(a).start(b).end(),
      problems: ["start() was called after other steps; call it first and once"],
    },
    {
      title: "steps after the end",
      build: () => graph(TestState).start(a).end().then(b).wait("Go on?"),
      problems: ["a step was added after end(); end() comes last", "a step was added after end(); end() comes last"],
    },
    {
      title: "an else() and an endif() without if()",
      build: () => graph(TestState).start(a).else().endif().end(),
      problems: ["else() without an open if()", "endif() without an open if()"],
    },
    {
      title: "a second else()",
      build: () =>
        graph(TestState)
          .start(a)
          .if(() => true)
          .then(b)
          .else()
          .then(c)
          .else()
          .then(d)
          .endif()
          .end(),
      problems: ["a second else() for the same if()"],
    },
    {
      title: "if() without endif(), together with what is wrong inside",
      build: () =>
        graph(TestState)
          .if(() => true)
          .then(a)
          .if(() => true)
          .then(a)
          .else()
          .loop([], {}),
      problems: [
        "2 if() without endif()",
        "the graph has no end; finish it with end()",
        'the id "a" is used more than once',
        'the loop "loop_1" has no exit; give it "until" or "maxIterations"',
        'the loop "loop_1" has no steps',
      ],
    },
    {
      title: "ids that are used twice, by nodes and by blocks",
      build: () =>
        graph(TestState)
          .start([a, a])
          .wait({ id: "a" })
          .loop(b, { id: "a", maxIterations: 1 })
          .if(() => true, { id: "b" })
          .then(c)
          .endif()
          .parallel([d], { id: "c" })
          .end(),
      problems: [
        'the id "a" is used more than once',
        'the id "a" is used more than once',
        'the id "a" is used more than once',
        'the id "b" is used more than once',
        'the id "c" is used more than once',
      ],
    },
    {
      title: "a node whose id is that of a block before it",
      build: () => graph(TestState).start(a).loop(node("x"), { id: "x", maxIterations: 1 }).end(),
      problems: ['the id "x" is used more than once'],
    },
    {
      title: "a loop without an exit",
      build: () => graph(TestState).start(a).loop(b, {}).end(),
      problems: ['the loop "loop_1" has no exit; give it "until" or "maxIterations"'],
    },
    {
      title: "bounds of loops that are none",
      build: () =>
        graph(TestState).start(a).loop(b, { maxIterations: 0 }).loop(c, { maxIterations: 1.5, id: "half" }).end(),
      problems: [
        'the loop "loop_1" has no exit; give it "until" or "maxIterations"',
        'the loop "half" has maxIterations 1.5; it must be a whole number from 0',
      ],
    },
    {
      title: "routes to nodes that do not exist",
      build: () =>
        graph(TestState)
          .start(node("go", () => undefined, { targets: ["b", "nowhere", "gone"] }))
          .then(b)
          .end(),
      problems: [
        '"go" routes to "nowhere", which is not a node of the graph',
        '"go" routes to "gone", which is not a node of the graph',
      ],
    },
    {
      title: "routes into and out of a branch",
      build: () =>
        graph(TestState)
          .start(node("in", () => undefined, { targets: ["b", "c", "out"] }))
          .parallel([
            [b, node("beside", () => undefined, { targets: ["b", "c"] })],
            [node("out", () => undefined, { targets: ["in"] })],
          ])
          .map(() => [], c)
          .end(),
      problems: [
        '"in" routes to "b", which is in another branch; route to a node of its own',
        '"in" routes to "c", which is in another branch; route to a node of its own',
        '"in" routes to "out", which is in another branch; route to a node of its own',
        '"beside" routes to "c", which is in another branch; route to a node of its own',
        '"out" routes to "in", which is in another branch; route to a node of its own',
      ],
    },
    {
      title: "a parallel step without branches, and branches without steps",
      build: () => graph(TestState).start(a).parallel([]).parallel([[], b]).end(),
      problems: ['"parallel_1" has no branches', 'the branch "0" of "parallel_2" has no steps'],
    },
    {
      title: "names that do not match the branches",
      build: () =>
        graph(TestState)
          .start(a)
          .parallel([b, c], { names: ["one"] })
          .parallel([d, node("e")], { names: ["same", "same"] })
          .end(),
      problems: ["parallel() has 2 branches but 1 names", '"parallel_2" has two branches named "same"'],
    },
    {
      title: "reserved characters in any name",
      build: () =>
        graph(TestState)
          .start([node("a/b"), node("c[1]"), node("d#2")])
          .loop(a, { id: "l/1", maxIterations: 1 })
          .if(() => true, { id: "i#1" })
          .then(b)
          .endif()
          .parallel([c, d], { id: "p[0]", names: ["x", "y]/z"] })
          .wait({ id: "w/1" })
          .end(),
      problems: [
        'the node id "a/b" contains one of [ ] # /, which are reserved',
        'the node id "c[1]" contains one of [ ] # /, which are reserved',
        'the node id "d#2" contains one of [ ] # /, which are reserved',
        'the id of the loop "l/1" contains one of [ ] # /, which are reserved',
        'the id of the if "i#1" contains one of [ ] # /, which are reserved',
        'the id of the parallel "p[0]" contains one of [ ] # /, which are reserved',
        'the branch name "y]/z" contains one of [ ] # /, which are reserved',
        'the node id "w/1" contains one of [ ] # /, which are reserved',
      ],
    },
    {
      title: "a catch() without anything to catch",
      build: () => graph(TestState).catch(a).then(b).end(),
      problems: ["catch() has nothing before it in its chain"],
    },
    {
      title: "steps that are no nodes",
      // The casts are wrong on purpose: a JavaScript caller can do this.
      build: () =>
        graph(TestState)
          .start([a, { id: "x" } as Node])
          .parallel([[undefined as unknown as Node]])
          .end(),
      problems: [
        'a step is not a node: {"id":"x"} (a node has an id and an execute function)',
        "a step is not a node: undefined (a node has an id and an execute function)",
      ],
    },
    {
      title: "problems of a graph used as a branch",
      build: () =>
        graph(TestState)
          .start(a)
          .parallel([
            graph(TestState)
              .start(b)
              .if(() => true)
              .then(c)
              .start(d),
            graph(TestState).then(node("e")),
          ])
          .end(),
      problems: [
        "a graph used as a branch has an if() without endif()",
        "start() was called after other steps; call it first and once",
        "then() was called before start(); begin the graph with start()",
      ],
    },
    {
      title: "a graph that contains itself",
      build: () => {
        const builder = graph(TestState).start(a);
        return builder.then(builder).loop(builder, { maxIterations: 2 }).end();
      },
      problems: [
        "a graph contains itself; build the repeated part as a graph of its own",
        "a graph contains itself; build the repeated part as a graph of its own",
      ],
    },
    ...(["loop", "map", "parallel"] as const).map((method) => ({
      title: `two graphs that contain each other, by ${method}()`,
      build: () => {
        const inner = graph(TestState).start(a);
        const outer = graph(TestState).start(b).loop(inner, { maxIterations: 2 });
        if (method === "loop") inner.loop(outer, { maxIterations: 2 });
        else if (method === "map") inner.map(() => [], outer);
        else inner.parallel([outer]);
        return outer.end();
      },
      problems: ["a graph contains itself; build the repeated part as a graph of its own"],
    })),
    {
      title: "two graphs that contain each other, one of which is a step of the other",
      build: () => {
        const inner = graph(TestState).start(a);
        const outer = graph(TestState).start(b).loop(inner, { maxIterations: 2 });
        inner.then(outer);
        return outer.end();
      },
      problems: [
        'the id "b" is used more than once',
        "a graph contains itself; build the repeated part as a graph of its own",
      ],
    },
  ])("$title", ({ build, problems }) => expect(problemsOf(build())).toEqual(problems));

  test("every problem in one text", () => {
    const build = () => graph(TestState).start([a, a]).loop(b, {}).compile();
    expect(build).toThrow(
      [
        "The graph cannot be compiled:",
        "  - the graph has no end; finish it with end()",
        '  - the id "a" is used more than once',
        '  - the loop "loop_1" has no exit; give it "until" or "maxIterations"',
        "Correct the graph's definition.",
      ].join("\n"),
    );
  });

  test("the same problems each time it is called", () => {
    const builder = graph(TestState)
      .if(() => true)
      .then([a, a]);
    const first = problemsOf(builder);
    expect(first).toEqual([
      "1 if() without endif()",
      "the graph has no end; finish it with end()",
      'the id "a" is used more than once',
    ]);
    expect(problemsOf(builder)).toEqual(first);
  });
});

describe("a compiled program", () => {
  test("is a flat list in which every block knows where it ends", () => {
    const {
      code: { program },
    } = graph(TestState)
      .start(a)
      .if(() => true)
      .then(b)
      .else()
      .then(c)
      .endif()
      .loop(d, { maxIterations: 2 })
      .parallel([node("e"), [node("f"), failing("g")]], { names: ["left", "right"], strategy: "settled" })
      .catch(() => logs("handled"))
      .end()
      .compile();
    expect(program.instructions.map((instruction) => JSON.parse(JSON.stringify(instruction)))).toEqual([
      { op: "task", id: "a", node: { id: "a", type: "tool" } },
      { op: "if", id: "if_1", elsePc: 4 },
      { op: "task", id: "b", node: { id: "b", type: "tool" } },
      { op: "jump", to: 5 },
      { op: "task", id: "c", node: { id: "c", type: "tool" } },
      { op: "loop", id: "loop_1", maxIterations: 2, failsAtLimit: false, exitPc: 8 },
      { op: "task", id: "d", node: { id: "d", type: "tool" } },
      { op: "jump", to: 5 },
      {
        op: "fork",
        id: "parallel_1",
        branches: [
          { name: "left", startPc: 9 },
          { name: "right", startPc: 11 },
        ],
        strategy: "settled",
        joinPc: 14,
      },
      { op: "task", id: "e", node: { id: "e", type: "tool" } },
      { op: "branch-end" },
      { op: "task", id: "f", node: { id: "f", type: "tool" } },
      { op: "task", id: "g", node: { id: "g", type: "tool" } },
      { op: "branch-end" },
      { op: "jump", to: 16 },
      { op: "task", id: "catch_1", node: { id: "catch_1", type: "tool" } },
      { op: "end" },
    ]);
    expect(program.catches).toEqual([{ startPc: 0, endPc: 14, handlerPc: 15 }]);
    expect([...program.pcOfNode]).toEqual([
      ["a", 0],
      ["b", 2],
      ["c", 4],
      ["d", 6],
      ["e", 9],
      ["f", 11],
      ["g", 12],
      ["catch_1", 15],
    ]);
  });

  test("has a fingerprint that follows the structure and the ids, not the code", () => {
    const fingerprintOf = (first: Node, bound: number) =>
      graph(TestState).start(first).loop(b, { maxIterations: bound }).end().compile().code.program.fingerprint;
    expect(fingerprintOf(a, 2)).toMatch(/^[0-9a-f]{16}$/);
    expect(
      fingerprintOf(
        node("a", () => logs("other")),
        3,
      ),
    ).toBe(fingerprintOf(a, 2));
    expect(fingerprintOf(c, 2)).not.toBe(fingerprintOf(a, 2));
    expect(fingerprintOf({ ...a, type: "wait" }, 2)).not.toBe(fingerprintOf(a, 2));
  });

  test("has another fingerprint when steps change places", () => {
    const [left, right] = [graph(TestState).start(a).then(b), graph(TestState).start(b).then(a)].map(
      (builder) => builder.end().compile().code.program.fingerprint,
    );
    expect(left).not.toBe(right);
  });
});
