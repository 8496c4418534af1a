import { expect, test } from "bun:test";
import type { RunEvent } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { node, TestState } from "../fixtures/test-nodes.ts";
import type { SignalData } from "../model/node-definition.ts";

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
