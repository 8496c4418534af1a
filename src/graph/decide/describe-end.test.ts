import { expect, test } from "bun:test";
import type { RunEvent } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { logs, node, TestState } from "../fixtures/test-nodes.ts";
import { readRunSummary } from "../journal/run-summary.ts";
import type { SignalData } from "../model/node-definition.ts";
import { MemorySaver } from "../savers/memory-saver.ts";

test("subscribers receive warnings about context windows from every kind of node", async () => {
  const signals: readonly SignalData[] = [
    { type: "context_window_warning" },
    { type: "checkpoint", label: "half" },
    { type: "context_window_warning", usage: 0.7, action: "recreate", session: "work" },
  ];
  const events: RunEvent[] = [];
  const compiled = graph(TestState)
    .start(node("look", () => ({ signals })))
    .end()
    .compile();
  await compiled.run({}, { runId: "r", now: () => 5, onEvent: (event) => events.push(event) });
  const about = { type: "context-window" as const, nodeId: "look", taskId: "look", runId: "r", at: 5 };
  expect(events.filter(({ type }) => type === "context-window")).toEqual([
    { ...about, action: "warn" },
    { ...about, action: "recreate", fraction: 0.7, session: "work" },
  ]);
});

test.each([true, false])(
  "the outcome of a check is in the event of its node and in the summary: %p",
  async (isPassed) => {
    const events: RunEvent[] = [];
    const checkpointer = new MemorySaver();
    const { status, state } = await graph(TestState)
      .start([
        node("check", () => ({ isPassed, stateUpdate: { log: ["checked"] } })),
        node("after", () => logs("after")),
      ])
      .end()
      .compile({ checkpointer })
      .run({}, { runId: "r", onEvent: (event) => events.push(event) });
    expect({ status, log: state.log }).toEqual({ status: "completed", log: ["checked", "after"] });
    const ends = events.filter((event) => event.type === "node-end");
    expect(ends.map((event) => [event.nodeId, event.isPassed])).toEqual([
      ["check", isPassed],
      ["after", undefined],
    ]);
    const { nodes } = await readRunSummary(checkpointer, "r");
    expect(nodes.map((summary) => [summary.nodeId, summary.status, summary.isPassed])).toEqual([
      ["check", "completed", isPassed],
      ["after", "completed", undefined],
    ]);
  },
);
