import { describe, expect, test } from "bun:test";
import { type GraphBuilder, graph, type Steps } from "../builder.ts";
import type { GraphValidationError } from "../errors/errors.ts";
import { node, TestState } from "../fixtures/test-nodes.ts";
import { lie, messageOf, textOf, untyped } from "../fixtures/wrong-graphs.ts";
import type { GraphConfig } from "../model/graph-config.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { annotation, defineState, Reducers, type StateSchema } from "../state/annotation.ts";

type Builder = GraphBuilder<TestState>;
type Call = { readonly title: string; readonly build: () => Builder; readonly problems: readonly string[] };

const execute = () => undefined;
const [a, b] = [node("a"), node("b")];
const begun = () => graph(TestState).start(a);

const calls: readonly Call[] = [
  {
    title: "start(undefined)",
    build: () => graph(TestState).start(lie(undefined)),
    problems: ["start() was given undefined; give it a node, a list of nodes or a graph"],
  },
  {
    title: "start([])",
    build: () => graph(TestState).start([]),
    problems: ["start() was given no steps; give it at least one node"],
  },
  {
    title: "then([])",
    build: () => begun().then([]),
    problems: ["then() was given no steps; give it at least one node"],
  },
  {
    title: "then(first, second)",
    build: () => untyped<Builder>(begun().then.bind(begun()))(a, "b"),
    problems: ['then() takes one argument and was given "b" besides; give it a list of nodes: then([first, second])'],
  },
  {
    title: 'start("x") and end("x"), as document 5 has them',
    build: () =>
      untyped<Builder>((builder: Builder) => untyped<Builder>(builder.end.bind(builder))("x"))(
        graph(TestState).start(lie("x")),
      ),
    problems: [
      'end() takes no argument and was given "x"; the graph ends where end() stands',
      'start() was given the text "x"; give it the node itself',
    ],
  },
  {
    title: "steps of other kinds",
    build: () => {
      const compiled = graph(TestState).start(a).end().compile();
      const list = lie<Steps<TestState>>([compiled, execute, Promise.resolve(), 5]);
      return graph(TestState)
        .start(list)
        .then(lie(compiled))
        .then(lie(Promise.resolve(b)))
        .then(lie(execute));
    },
    problems: [
      "a step is a compiled graph; make a node of it with subgraphNode({ id, subgraph })",
      "a step is a function; make a node of it with toolNode({ id, execute })",
      "a step is a Promise; await the node first",
      "a step is not a node: 5 (a node has an id and an execute function)",
      "then() was given a compiled graph; make a node of it with subgraphNode({ id, subgraph }), or give the builder",
      "then() was given a Promise; await the node first",
      "then() was given a function; make a node of it with toolNode({ id, execute })",
    ],
  },
  {
    title: "if() without a function, and with an unknown option",
    build: () =>
      begun()
        .if(lie("x"), lie({ idd: "y" }))
        .then(b)
        .endif(),
    problems: [
      'if() has an unknown option "idd"; did you mean "id"?',
      'if() was given "x"; give it a function of the state',
    ],
  },
  {
    title: "loop(body) without a config",
    build: () => untyped<Builder>(begun().loop.bind(begun()))(b),
    problems: ['the loop "loop_1" has no exit; give it "until" or "maxIterations"'],
  },
  {
    title: "a loop's options",
    build: () => begun().loop(b, lie({ until: true, maxIteration: 3, onMaxIterations: "stop", foo: 1 })),
    problems: [
      "loop() has until true; it must be a function",
      'loop() has an unknown option "maxIteration"; did you mean "maxIterations"?',
      'loop() has onMaxIterations "stop"; it must be "continue" or "fail"',
      'loop() has an unknown option "foo"; its options: until, maxIterations, onMaxIterations, id',
    ],
  },
  {
    title: "a loop's body, and options that are none",
    build: () => begun().loop(lie(undefined), lie(5)),
    problems: [
      "loop() was given 5 instead of an object with its options",
      'the loop "loop_1" has no exit; give it "until" or "maxIterations"',
      "loop() was given undefined; give it a node, a list of nodes or a graph",
    ],
  },
  {
    title: "parallel(undefined)",
    build: () => begun().parallel(lie(undefined)),
    problems: ["parallel() was given undefined; give it a list of branches"],
  },
  {
    title: "the branches and options of parallel()",
    build: () =>
      begun().parallel(
        lie([undefined, "x"]),
        lie<object>({ strategy: "first", mergeStrategy: "all", merge: 1, nmaes: [] }),
      ),
    problems: [
      'parallel() has strategy "first"; it must be "all", "race", "any" or "settled"; did you mean "race"?',
      'parallel() has an unknown option "mergeStrategy"; write strategy: "all", "race", "any" or "settled"',
      "parallel() has merge 1; it must be a function",
      'parallel() has an unknown option "nmaes"; did you mean "names"?',
      "parallel() was given undefined; give it a node, a list of nodes or a graph",
      'parallel() was given the text "x"; give it the node itself',
    ],
  },
  {
    title: "map() with a list",
    build: () => begun().map(lie([1, 2]), b, lie<object>({ maxConcurrency: 3, concurrency: "4", strategy: "setled" })),
    problems: [
      'map() has an unknown option "maxConcurrency"; write concurrency',
      'map() has concurrency "4"; it must be a whole number from 1, or Infinity',
      'map() has strategy "setled"; it must be "all", "race", "any" or "settled"; did you mean "settled"?',
      'the "items" of "map_1" is not a function of the state',
    ],
  },
  {
    title: "wait()",
    build: () =>
      untyped<Builder>(
        begun().wait.bind(
          begun()
            .wait(lie<object>({ promt: "?", autoApprove: { after: 5 } }))
            .wait(lie<string>(7)),
        ),
      )("Go on?", { autoApprove: { after: 5 } }),
    problems: [
      '"wait_1" has an unknown option "promt"; did you mean "prompt"?',
      '"wait_1" has an unknown option "autoApprove.after"; did you mean "autoApprove.afterMs"?',
      "wait() was given 7; give it a question, or an object with options",
      'wait() takes one argument and was given {"autoApprove":{"after":5}} besides; write wait({ prompt, … })',
    ],
  },
  {
    title: "goto(), label() and catch() of nothing",
    build: () => begun().goto(lie(undefined)).label("").catch(lie(undefined)),
    problems: [
      "goto() was given undefined; give it the id of a node",
      'label() was given ""; give it a text that is not empty',
      "catch() was given undefined; give it a function or a node",
    ],
  },
];

describe("compile() reports what a method of the builder was given:", () => {
  test.each(calls)("$title", ({ build, problems }) => {
    expect(messageOf(() => build().end().compile())).toBe(textOf(problems));
  });
});

describe("compile() reports its own options:", () => {
  test.each<[string, unknown, readonly string[]]>([
    ["null", null, ["compile() was given null instead of an object with its options"]],
    [
      "a misspelt one",
      { maxConcurency: 2 },
      ['compile() has an unknown option "maxConcurency"; did you mean "maxConcurrency"?'],
    ],
    ["one of run()", { signal: 1 }, ['compile() has an unknown option "signal"; give it to run()']],
    ...[0, -1, Number.NaN, "4", 1.5].map((maxConcurrency): [string, unknown, readonly string[]] => [
      `maxConcurrency ${JSON.stringify(maxConcurrency)}`,
      { maxConcurrency },
      [
        `compile() has maxConcurrency ${typeof maxConcurrency === "string" ? `"${maxConcurrency}"` : maxConcurrency}; it must be a whole number from 1, or Infinity`,
      ],
    ]),
    [
      "a saver that is none",
      { checkpointer: MemorySaver, timeout: "1h", budget: { maxToken: 1, maxCostUsd: -1 } },
      [
        "compile() has checkpointer a function; it must be a saver, for example new MemorySaver()",
        'compile() has timeout "1h"; it must be a number of milliseconds above 0; write 3600000',
        'compile() has an unknown option "budget.maxToken"; did you mean "budget.maxTokens"?',
        "compile() has budget.maxCostUsd -1; it must be a number from 0",
      ],
    ],
  ])("%s", (_title, config, problems) => {
    expect(messageOf(() => begun().end().compile(lie<GraphConfig>(config)))).toBe(textOf(problems));
  });
});

describe("compile() reports the state:", () => {
  test("fields and reducers that cannot be right", () => {
    const State = defineState(
      lie<StateSchema["fields"]>({
        items: annotation([], lie<never>(Reducers.mergeById)),
        notes: annotation([], lie<never>("concatt")),
        total: annotation(0, lie<never>(5)),
        config: annotation(lie({ default: 0, reducr: Reducers.sum })),
        own: { default: 0, redcer: Reducers.sum },
        bare: 4,
        value: annotation({ default: 1, other: 2 }),
      }),
    );
    expect(messageOf(() => graph(State).start(lie(a)).end().compile())).toBe(
      textOf([
        'the field "items" has the reducer Reducers.mergeById without a field; write Reducers.mergeById("id"), or the field that identifies items',
        'the field "notes" has reducer "concatt"; it must be a function; write Reducers.concat',
        'the field "total" has reducer 5; it must be a function',
        'the field "config" has an unknown option "reducr"; did you mean "reducer"?',
        'the field "own" has an unknown option "redcer"; did you mean "reducer"?',
        'the field "bare" is 4; declare it with annotation()',
      ]),
    );
  });

  test("fields that are not wrapped in defineState()", () => {
    const build = () =>
      graph(lie<StateSchema>({ count: annotation(0) }))
        .start(lie(a))
        .end();
    expect(messageOf(() => build().compile())).toBe(
      textOf(['graph() was given {"count":{"default":0}} instead of what defineState() returns']),
    );
  });

  test("with the line of defineState()", () => {
    const State = defineState({ items: annotation([], lie(5)) });
    const here = new Error("here").stack?.split("\n")[1];
    try {
      graph(State).start(lie(a)).end().compile();
    } catch (error) {
      const [location] = lie<GraphValidationError>(error).locations;
      const lineOf = (place: string | undefined) => Number(/:(\d+):\d+\)?$/.exec(place ?? "")?.[1]);
      expect(lineOf(location)).toBe(lineOf(here) - 1);
      return;
    }
    expect.unreachable();
  });

  test("Reducers.mergeById() says at once that it needs a field", () => {
    expect(() => untyped(Reducers.mergeById)()).toThrow(
      "Reducers.mergeById() was called with options that cannot be right:\n  - it was given undefined; give it the name of the field that identifies items\nCorrect the call.",
    );
  });
});
