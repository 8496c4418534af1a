import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AtomicError } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { StateMutationError } from "../errors/state-mutation-error.ts";
import type { ExecutionContext } from "../model/execution-context.ts";
import type { NodeResult } from "../model/node-definition.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { toolNode } from "../nodes/tools/tool-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { annotation, defineState, Reducers, type StateOf } from "./annotation.ts";
import { isEqualValue } from "./is-equal-value.ts";

interface Details {
  tags: string[];
  nested: { count: number };
}

const State = defineState({
  items: annotation<string[]>(["first"]),
  details: annotation<Details>({ tags: [], nested: { count: 0 } }),
  byName: annotation<Map<string, { count: number }>>(() => new Map([["a", { count: 1 }]])),
  seen: annotation<Set<string>>(() => new Set(["a"])),
  since: annotation<Date>(() => new Date(0)),
  log: annotation<string[]>([], Reducers.concat),
});
type State = StateOf<typeof State>;

function act(id: string, execute: (context: ExecutionContext<State>) => NodeResult<State> | undefined) {
  return { id, type: "tool" as const, execute: async (context: ExecutionContext<State>) => execute(context) };
}

/** A state as careless JavaScript sees it: open to every change. */
// biome-ignore lint/suspicious/noExplicitAny: workflow files are not type-checked, and this is about what they may try.
const careless = (state: unknown) => state as any;

describe("a change of the state in place", () => {
  const ways: readonly (readonly [string, (state: ReturnType<typeof careless>) => unknown])[] = [
    ["push", (state) => state.items.push("x")],
    ["an item", (state) => (state.items[0] = "x")],
    ["a length", (state) => (state.items.length = 0)],
    ["sort", (state) => state.items.sort()],
    ["a field", (state) => (state.items = ["x"])],
    ["a new field", (state) => (state.other = 1)],
    ["a deleted field", (state) => delete state.items],
    ["a field of an object", (state) => (state.details.nested.count = 5)],
    ["a list of an object", (state) => state.details.tags.push("x")],
    ["a map", (state) => state.byName.set("b", { count: 2 })],
    ["a map's key", (state) => state.byName.delete("a")],
    ["a map's keys", (state) => state.byName.clear()],
    ["a map's value", (state) => (state.byName.get("a").count = 2)],
    ["a set", (state) => state.seen.add("b")],
    ["a set's item", (state) => state.seen.delete("a")],
    ["a set's items", (state) => state.seen.clear()],
    ["a date", (state) => state.since.setFullYear(1999)],
    ["when the state was changed", (state) => state.lastUpdated.setTime(0)],
    ["an output", (state) => (state.outputs.x = 1)],
  ];
  for (const [what, change] of ways) {
    test(`fails where it is made: ${what}`, async () => {
      const checkpointer = new MemorySaver();
      const compiled = graph(State)
        .start(
          act("start", () => ({ stateUpdate: { items: ["one", "two"], details: { tags: [], nested: { count: 1 } } } })),
        )
        .then(
          act("change", ({ state }) => {
            change(careless(state));
          }),
        )
        .end()
        .compile({ checkpointer });
      const { status, error, state } = await compiled.run({}, { runId: "r" });
      expect(status).toBe("failed");
      expect(error).toBeInstanceOf(StateMutationError);
      expect(error?.message).toEndWith(
        "State cannot be changed in place. Change a copy, and return it as `stateUpdate`.",
      );
      expect({ ...state, lastUpdated: 0 }).toEqual({ ...(await compiled.stateAt("r", 2)), lastUpdated: 0 });
    });
  }

  test("fails in a condition and in a reducer, too", async () => {
    const inCondition = graph(State)
      .start(act("a", () => undefined))
      .if((state) => careless(state).items.push("x") > 0)
      .then(act("b", () => undefined))
      .endif()
      .end()
      .compile();
    const Pushing = defineState({
      list: annotation<string[]>([], (list, update: string[]) => {
        list.push(...update);
        return list;
      }),
    });
    const inReducer = graph(Pushing)
      .start(toolNode<StateOf<typeof Pushing>>({ id: "a", execute: () => 1, outputMapper: () => ({ list: ["x"] }) }))
      .end()
      .compile();
    for (const compiled of [inCondition, inReducer]) {
      const { status, error } = await compiled.run({});
      expect({ status, code: error instanceof AtomicError && error.code }).toEqual({
        status: "failed",
        code: "STATE_MUTATION",
      });
    }
  });

  test("is for code that does not hold the state: a library's own TypeError stays what it is", async () => {
    const { error } = await graph(State)
      .start(
        act("a", () => {
          throw new TypeError("x is not a function");
        }),
      )
      .end()
      .compile()
      .run({});
    expect(error).toEqual(new TypeError("x is not a function"));
  });
});

describe("what an author still holds", () => {
  test("may change after it was returned, without a trace in the run", async () => {
    const mine = ["a"];
    const compiled = graph(State)
      .start(act("give", () => ({ stateUpdate: { items: mine } })))
      .then(
        act("change", ({ state }) => {
          mine.push("b");
          return { stateUpdate: { log: [...state.items] } };
        }),
      )
      .end()
      .compile();
    const { state } = await compiled.run({});
    expect({ mine, items: state.items, log: state.log }).toEqual({ mine: ["a", "b"], items: ["a"], log: ["a"] });
  });

  test("is not frozen: the input, the defaults, a list of a map, the value of a step", async () => {
    const defaults: Details = { tags: [], nested: { count: 0 } };
    const Own = defineState({ details: annotation(defaults), items: annotation<string[]>([]) });
    const input = { items: ["a"] };
    const list = ["x"];
    const step = { tags: ["t"] };
    const compiled = graph(Own)
      .start({
        id: "a",
        type: "tool",
        execute: async (context) => {
          (await context.step("s", () => step)).tags.push("changed");
        },
      })
      .map(() => list, { id: "b", type: "tool", execute: () => undefined })
      .end()
      .compile();
    await compiled.run(input);
    for (const value of [defaults, defaults.nested, input, input.items, list, step]) {
      expect(Object.isFrozen(value)).toBe(false);
    }
    expect(step).toEqual({ tags: ["t", "changed"] });
  });

  test("in a default does not leak from one run into the next", async () => {
    const mine: string[] = [];
    const Own = defineState({ items: annotation(mine), made: annotation(() => mine) });
    const compiled = graph(Own)
      .start({ id: "a", type: "tool", execute: () => undefined })
      .end()
      .compile();
    const first = await compiled.run({});
    mine.push("later");
    expect({ items: first.state.items, made: first.state.made }).toEqual({ items: [], made: [] });
  });
});

test("a default that a node tries to change reaches neither later runs, nor the caller's input, nor sibling branches", async () => {
  const mine: string[] = [];
  const input = { details: { tags: ["a"], nested: { count: 0 } } };
  const Own = defineState({ items: annotation(mine), details: annotation<Details>(input.details) });
  const log: string[] = [];
  type Own = StateOf<typeof Own>;
  const change = {
    id: "change",
    type: "tool" as const,
    execute: ({ state }: ExecutionContext<Own>): undefined => {
      for (const push of [(s: Own) => s.items.push("x"), (s: Own) => s.details.tags.push("x")]) {
        expect(() => push(state)).toThrow(TypeError);
      }
    },
  };
  const look = (id: string) => ({
    id,
    type: "tool" as const,
    execute: ({ state }: ExecutionContext<Own>): undefined => {
      log.push(JSON.stringify([state.items, state.details.tags]));
    },
  });
  const compiled = graph(Own)
    .parallel([change, look("sibling")])
    .then(look("after"))
    .end()
    .compile();
  for (const given of [input, {}]) expect((await compiled.run(given)).status).toBe("completed");
  expect(log).toEqual(Array.from({ length: 4 }, () => '[[],["a"]]'));
  expect({ mine, input }).toEqual({ mine: [], input: { details: { tags: ["a"], nested: { count: 0 } } } });
});

describe("a run that is resumed", () => {
  test("shows what the same run shows without a restart, for any value", async () => {
    const value = fc.anything({
      withDate: true,
      withMap: true,
      withSet: true,
      withBigInt: true,
      withNullPrototype: true,
    });
    const Any = defineState({ value: annotation<unknown>(null), all: annotation<unknown[]>([], Reducers.concat) });
    type Any = StateOf<typeof Any>;
    await fc.assert(
      fc.asyncProperty(value, async (given) => {
        const build = () =>
          graph(Any)
            .start({ id: "a", type: "tool", execute: () => ({ stateUpdate: { value: given, all: [given] } }) })
            .then(waitNode<Any>({ id: "gate", inputMapper: () => ({}) }))
            .end()
            .compile({ checkpointer: new MemorySaver() });
        const compiled = build();
        const { state: live } = await compiled.run({}, { runId: "r" });
        const { state: resumed } = await compiled.resume("r");
        // Not by the test runner, to which two invalid dates within a set differ.
        expect(isEqualValue(resumed, live)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test("keeps what a default's function made for it", async () => {
    let count = 0;
    const Made = defineState({ id: annotation(() => ++count) });
    const compiled = graph(Made)
      .start(waitNode<StateOf<typeof Made>>({ id: "gate", inputMapper: () => ({}) }))
      .end()
      .compile({ checkpointer: new MemorySaver() });
    await compiled.run({}, { runId: "r" });
    expect({ id: (await compiled.resume("r", { gate: "yes" })).state.id, count }).toEqual({ id: 1, count: 1 });
  });

  test("passes a later attempt the original value of a step, whatever the first attempt did with it", async () => {
    const seen: unknown[] = [];
    const compiled = graph(State)
      .start({
        id: "a",
        type: "tool",
        retry: { maxAttempts: 2, backoffMs: 0 },
        execute: async (context) => {
          const value = await context.step("s", () => ({ tags: ["t"] }));
          seen.push(structuredClone(value));
          value.tags.push("changed");
          if (context.attempt === 1) throw new Error("once more");
        },
      })
      .end()
      .compile({ checkpointer: new MemorySaver() });
    expect((await compiled.run({}, { runId: "r" })).status).toBe("completed");
    expect(seen).toEqual([{ tags: ["t"] }, { tags: ["t"] }]);
  });
});

test("a step that is requested again while it runs is executed once", async () => {
  let count = 0;
  const { state } = await graph(State)
    .start({
      id: "a",
      type: "tool",
      execute: async (context) => {
        const take = () => context.step("s", async () => `${++count}`);
        return { stateUpdate: { log: await Promise.all([take(), take(), take()]) } };
      },
    })
    .end()
    .compile()
    .run({});
  expect({ log: state.log, count }).toEqual({ log: ["1", "1", "1"], count: 1 });
});
