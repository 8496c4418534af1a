import { describe, expect, test } from "bun:test";
import { graph } from "./builder.ts";
import * as everything from "./index.ts";
import { nodes } from "./nodes.ts";
import { annotation, defineState } from "./state/annotation.ts";

const State = defineState({ topic: annotation(""), words: annotation<string[]>([]), length: annotation(0) });

describe("nodes()", () => {
  test("returns the factories themselves, all of them, whatever the state", () => {
    const exported = Object.entries(everything).filter(([name]) => name.endsWith("Node"));
    expect(Object.entries(nodes(State)).sort()).toEqual(exported.sort());
    expect<unknown>(nodes()).toBe(nodes(State));
  });

  test("makes nodes outside of a graph that know its state", async () => {
    const { toolNode } = nodes(State);
    const measure = toolNode({
      id: "measure",
      args: ({ topic }) => ({ topic }),
      execute: ({ topic }) => topic.length,
      outputMapper: (length) => ({ length }),
    });
    const { length } = await graph(State).start(measure).end().compile().execute({ topic: "caching" });
    expect(length).toBe(7);
  });
});

describe("map() with a function", () => {
  test("runs the steps that it makes with the factories it is given", async () => {
    const compiled = graph(State)
      .map(
        (state) => state.words,
        ({ toolNode }) => [
          toolNode({ id: "shout", execute: (_args, { item }) => item.toUpperCase() }),
          toolNode({ id: "measure", execute: (_args, { item }) => item.length }),
        ],
      )
      .end()
      .compile();
    const { outputs } = await compiled.execute({ words: ["a", "few", "words"] });
    expect(outputs).toEqual({
      map_1: [
        { shout: "A", measure: 1 },
        { shout: "FEW", measure: 3 },
        { shout: "WORDS", measure: 5 },
      ],
    });
  });

  test("reports what it returns instead of steps", () => {
    const build = () =>
      graph(State)
        .map((state) => state.words, (() => undefined) as never)
        .end()
        .compile();
    expect(build).toThrow("map() was given undefined; give it a node, a list of nodes or a graph");
  });
});
