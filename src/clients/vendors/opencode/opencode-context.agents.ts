import { afterAll, expect, test } from "bun:test";
import type { RunEvent } from "../../../contracts/index.ts";
import {
  agentNode,
  clearContextNode,
  contextMonitorNode,
  defineState,
  graph,
  MemorySaver,
  type StateOf,
} from "../../../graph/index.ts";
import { say } from "../../../testkit/conformance/client/client-script.ts";
import { startOpenCodeBench } from "./fixtures/opencode-bench.ts";

const State = defineState({});
type State = StateOf<typeof State>;

const bench = await startOpenCodeBench(process.env.PATH ?? "");
afterAll(() => bench.stop());

test("an OpenCode session continues across nodes and processes, and is summarized when its context window fills up", async () => {
  const compiled = graph(State)
    .start(agentNode<State>({ id: "read", session: "work", buildMessage: "Read the code." }))
    .then(contextMonitorNode<State>({ session: "work" }))
    .wait({ id: "gate" })
    .then(agentNode<State>({ id: "write", session: "work", buildMessage: "Write the tests." }))
    .then(clearContextNode<State>({ session: "work", action: "recreate" }))
    .then(agentNode<State>({ id: "publish", session: "work", buildMessage: "Publish it." }))
    .end()
    .compile({ checkpointer: new MemorySaver() });
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent): void => void events.push(event);
  // By the conversation's content, since OpenCode also requests titles and summaries.
  bench.models.setScript((request) => {
    const conversation = JSON.stringify(request.messages);
    if (conversation.includes("Publish it.")) return say("Published.");
    if (conversation.includes("Write the tests.")) return say("Written.");
    return { type: "message", text: "I have read it.", usage: { inputTokens: 49_900, outputTokens: 100 } };
  });
  const asked = await compiled.run({}, { services: { clients: () => bench.client }, onEvent });
  expect([asked.status, asked.errorInfo]).toEqual(["suspended", undefined]);
  const second = bench.createClient();
  try {
    const { status, errorInfo, state } = await compiled.resume(
      asked.runId,
      { gate: "yes" },
      { services: { clients: () => second }, onEvent },
    );
    expect([status, errorInfo]).toEqual(["completed", undefined]);
    expect(state.outputs).toMatchObject({
      read: "I have read it.",
      "context-monitor": {
        usage: { usedTokens: 50_000, maxTokens: 100_000 },
        level: "compaction",
        action: "summarize",
      },
      write: "Written.",
      publish: "Published.",
    });
  } finally {
    await second.stop();
  }
  const sessions = events.flatMap((event) => (event.type === "agent-session" ? [event] : []));
  expect(sessions.map(({ isResumed }) => isResumed)).toEqual([false, true, false]);
  expect(new Set(sessions.map(({ sessionId }) => sessionId)).size).toBe(2);
  const actions = events.flatMap((event) => (event.type === "context-window" ? [event.action] : []));
  expect(actions).toEqual(["none", "summarize", "none", "recreate", "none"]);
  expect(events.some((event) => event.type === "agent" && event.event.type === "compacted")).toBe(true);
});
