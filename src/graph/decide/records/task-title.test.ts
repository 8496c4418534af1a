import { expect, test } from "bun:test";
import type { RunEvent } from "../../../contracts/index.ts";
import { graph } from "../../builder.ts";
import { node, TestState } from "../../fixtures/test-nodes.ts";
import { waitNode } from "../../nodes/people/wait-node.ts";
import { MemorySaver } from "../../savers/memory-saver.ts";

test.each([
  { title: "its title, made of the state", extra: { name: "Named", title: () => "Titled" }, expected: "Titled" },
  { title: "its name without one", extra: { name: "Named" }, expected: "Named" },
  { title: "its id without either", extra: {}, expected: "work" },
  {
    title: "its name when the title fails",
    extra: {
      name: "Named",
      title: () => {
        throw new Error("no");
      },
    },
    expected: "Named",
  },
])("a visit is called by $title", async ({ extra, expected }) => {
  const events: RunEvent[] = [];
  const compiled = graph(TestState)
    .start(node("work", undefined, extra))
    .end()
    .compile();
  const { status } = await compiled.run({}, { onEvent: (event) => events.push(event) });
  expect(status).toBe("completed");
  expect(events.find(({ type }) => type === "node-start")).toMatchObject({ name: expected });
});

test.each([
  { title: "a text", value: "src/a.ts", expected: "src/a.ts" },
  { title: "an object", value: { id: 1 }, expected: '{"id":1}' },
  { title: "a long one, cut", value: "x".repeat(100), expected: `${"x".repeat(59)}…` },
])("a visit in a map says what it is about: $title", async ({ value, expected }) => {
  const events: RunEvent[] = [];
  const compiled = graph(TestState)
    .map(() => [value], node("work"))
    .end()
    .compile();
  await compiled.run({}, { onEvent: (event) => events.push(event) });
  expect(events.find(({ type }) => type === "node-start")).toMatchObject({ name: "work", item: expected });
});

test("a question in a map says what it is about", async () => {
  const ask = waitNode<TestState>({ id: "ok", prompt: "Fine?" });
  const compiled = graph(TestState)
    .map(() => ["alpha", { file: "b.ts" }], ask, { id: "parts" })
    .end()
    .compile({ checkpointer: new MemorySaver() });
  const { requests } = await compiled.run({});
  expect(requests.map(({ id, item }) => [id, item])).toEqual([
    ["parts[0]/ok", "alpha"],
    ["parts[1]/ok", '{"file":"b.ts"}'],
  ]);
});

test("a visit in a map says how many items there are, except where the first one ends the map", async () => {
  const countOf = async (strategy: "all" | "settled" | "race" | "any"): Promise<unknown> => {
    const events: RunEvent[] = [];
    const compiled = graph(TestState)
      .map(() => [1, 2, 3], node("work"), { strategy, concurrency: 1 })
      .end()
      .compile();
    await compiled.run({}, { onEvent: (event) => events.push(event) });
    return events.flatMap((event) => (event.type === "node-start" ? [event.itemCount] : []));
  };
  expect([await countOf("all"), await countOf("settled"), await countOf("race"), await countOf("any")]).toEqual([
    [3, 3, 3],
    [3, 3, 3],
    [undefined],
    [undefined],
  ]);
});
