import { expect, test } from "bun:test";
import type { RunEvent } from "../contracts/index.ts";
import { graph } from "./builder.ts";
import { node, TestState } from "./fixtures/test-nodes.ts";
import { MemorySaver } from "./savers/memory-saver.ts";

const compiled = graph(TestState)
  .start(node("first"))
  .parallel([node("left"), node("right")])
  .wait({ id: "gate" })
  .end()
  .compile();

test("a stream yields only the types of event that are wanted, and ends with the whole result", async () => {
  const stream = compiled.stream({}, { events: ["node-end", "request"] });
  const seen: RunEvent["type"][] = [];
  let step = await stream.next();
  for (; !step.done; step = await stream.next()) seen.push(step.value.type);
  expect(seen).toEqual(["node-end", "node-end", "node-end", "request"]);
  expect(step.value.status).toBe("suspended");
});

test("onProgress hears the state after each step, with a saver and without", async () => {
  for (const checkpointer of [undefined, new MemorySaver()]) {
    const logs: unknown[] = [];
    const options = checkpointer === undefined ? {} : { checkpointer };
    await compiled.run({}, { ...options, onProgress: (state) => logs.push("log" in state ? state.log : undefined) });
    expect(logs).toEqual([["first"], ["first"], ["first", "left", "right"]]);
  }
});
