import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../../../contracts/index.ts";
import { graph } from "../../builder.ts";
import { TestState } from "../../fixtures/test-nodes.ts";
import { toolNode } from "./tool-node.ts";

describe("a tool node", () => {
  test.each([
    { title: "at once", execute: () => 7 },
    { title: "later", execute: async () => 7 },
  ])("keeps what its function returns $title in outputs", async ({ execute }) => {
    const compiled = graph(TestState)
      .start(toolNode<TestState>({ id: "seven", execute }))
      .end()
      .compile();
    expect((await compiled.execute()).outputs).toEqual({ seven: 7 });
  });

  test("passes fixed arguments, computed ones, or none to its function", async () => {
    const seen: unknown[] = [];
    const see = (id: string, args?: object | ((state: TestState) => object)) =>
      toolNode<TestState, object>({
        id,
        execute: (given) => seen.push(given),
        ...(args === undefined ? {} : { args }),
      });
    const nodes = [see("a", { url: "x" }), see("b", (state) => ({ url: state.value })), see("c")];
    await graph(TestState).start(nodes).end().compile().execute({ value: "y" });
    expect(seen).toEqual([{ url: "x" }, { url: "y" }, {}]);
  });

  test("maps its result, with the state at its start", async () => {
    const add = toolNode<TestState, object, number>({
      id: "add",
      execute: (_args, { state }) => state.total + 1,
      outputMapper: (sum, state) => ({ log: [`${sum} after ${state.total}`] }),
    });
    const { log, outputs } = await graph(TestState).start(add).end().compile().execute({ total: 4 });
    expect({ log, outputs }).toEqual({ log: ["5 after 4"], outputs: {} });
  });

  test("fails with what its function or its mapper throws", async () => {
    const broken = {
      throws: (): never => {
        throw new Error("broken tool");
      },
      rejects: () => Promise.reject(new Error("late")),
      maps: () => 1,
    };
    const messages: unknown[] = [];
    for (const [id, execute] of Object.entries(broken)) {
      const tool = toolNode<TestState>({
        id,
        execute,
        outputMapper: () => {
          throw new Error("broken mapper");
        },
      });
      messages.push((await graph(TestState).start(tool).end().compile().run()).errorInfo?.message);
    }
    expect(messages).toEqual(["broken tool", "late", "broken mapper"]);
  });

  test("has a display name, a timeout and retries", async () => {
    const names: string[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === "node-start") names.push(`${event.name} ${event.attempt}`);
    };
    const slow = toolNode<TestState>({
      id: "slow",
      toolName: "the slow tool",
      timeout: 5,
      retry: { maxAttempts: 2, backoffMs: 0 },
      execute: (_args, { signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    });
    const { errorInfo } = await graph(TestState).start(slow).end().compile().run({}, { onEvent });
    expect(errorInfo?.code).toBe("NODE_TIMEOUT");
    expect(names).toEqual(["the slow tool 1", "the slow tool 2"]);
    expect([
      toolNode({ id: "a", execute: () => 1 }).name,
      toolNode({ id: "a", name: "A", toolName: "B", execute: () => 1 }).name,
    ]).toEqual(["a", "A"]);
  });
});
