import { describe, expect, test } from "bun:test";
import { graph } from "./builder.ts";
import { node, TestState } from "./fixtures/test-nodes.ts";
import { toolNode } from "./nodes/tool-node.ts";
import { MemorySaver } from "./savers/memory-saver.ts";

const LARGE = "x".repeat(3_000);

describe("what a node leaves that is larger than the run keeps", () => {
  test.each([
    {
      title: "as its output",
      step: toolNode({ id: "big", execute: () => LARGE }),
      said: 'in "outputs.big" is too large: 3028 bytes',
    },
    {
      title: "in a field, among others",
      step: node("big", () => ({ stateUpdate: { log: [LARGE], total: 1 } })),
      said: 'in "log" is too large: 3030 bytes',
    },
    {
      title: "in many small parts",
      step: toolNode({ id: "big", execute: () => Array.from({ length: 1_000 }, () => ({ key: 1 })) }),
      said: 'in "outputs.big" is too large: 15030 bytes',
    },
    {
      title: "in a Map",
      step: toolNode({ id: "big", execute: () => new Map([["a", new Set([LARGE])]]) }),
      said: 'in "outputs.big" is too large: 3039 bytes',
    },
    {
      title: "as bytes",
      step: toolNode({ id: "big", execute: () => new Uint8Array(3_000) }),
      said: 'in "outputs.big" is too large: 4026 bytes',
    },
    {
      title: "as a step",
      step: node("big", async ({ step }) => {
        await step("load", () => LARGE);
        return {};
      }),
      said: 'in "step.load" is too large: 3002 bytes',
    },
    {
      title: "as the run's output",
      step: node("big", ({ finish }) => {
        finish(LARGE);
        return {};
      }),
      said: 'in "output" is too large: 3002 bytes',
    },
  ])("$title fails the node, and nothing of it is kept", async ({ step, said }) => {
    const checkpointer = new MemorySaver();
    const compiled = graph(TestState).start(step).end().compile({ checkpointer, maxUpdateBytes: 2_000 });
    const { runId, status, errorInfo } = await compiled.run();
    expect({ status, code: errorInfo?.code, nodeId: errorInfo?.nodeId, message: errorInfo?.message }).toEqual({
      status: "failed",
      code: "VALUE_TOO_LARGE",
      nodeId: "big",
      message: `What the node "big" left ${said}, and a run keeps at most 2000 bytes of a node's result. Write it to a file and keep the path, or raise maxUpdateBytes.`,
    });
    const journal = (await checkpointer.read(runId)).map(({ body }) => body).join("");
    expect(journal.length).toBeLessThan(4_000);
    expect((await compiled.resume(runId, {}, { maxUpdateBytes: 20_000 })).status).toBe("completed");
  });

  test("is at most 64 MiB unless the run says otherwise", async () => {
    const compiled = graph()
      .start(toolNode({ id: "big", execute: () => "x".repeat(65 * 1024 * 1024) }))
      .end()
      .compile();
    expect((await compiled.run()).errorInfo?.message).toStartWith(
      'What the node "big" left in "outputs.big" is too large: 65.0 MiB, and a run keeps at most 64.0 MiB of a node\'s result.',
    );
  });
});
