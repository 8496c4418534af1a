import { expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { FakeCodingAgent } from "../fixtures/fake-coding-agent.ts";
import { findSpanFaults, SpanRecorder } from "../fixtures/span-recorder.ts";
import { TestState } from "../fixtures/test-nodes.ts";
import { agentNode } from "../nodes/agents/agent-node.ts";

const SECRET = "/home/me/secret.txt";

test("the spans of a run contain the turns of an agent, which contain their tools", async () => {
  const tool = { toolId: "t1", toolName: "bash" } as const;
  const agent = new FakeCodingAgent([
    {
      events: [
        { type: "turn-start" },
        { type: "tool-start", ...tool, kind: "shell", input: SECRET },
        { type: "tool-end", ...tool, isError: false, output: SECRET },
        { type: "turn-end", outcome: "completed" },
        { type: "turn-start" },
        { type: "error", message: SECRET, code: "X" },
        { type: "turn-end", outcome: "failed" },
      ],
      content: SECRET,
    },
  ]);
  const telemetry = new SpanRecorder();
  const compiled = graph(TestState)
    .start(agentNode<TestState>({ id: "work", buildMessage: SECRET }))
    .end()
    .compile();
  await compiled.run({}, { services: { clients: () => agent }, telemetry });
  expect(telemetry.outline()).toEqual([
    "invoke_workflow graph | completed",
    "  agent work | completed",
    "    invoke_agent fake",
    "      turn",
    "        execute_tool bash",
    "      turn | TURN_FAILED",
  ]);
  expect(telemetry.spans.filter(({ name }) => name === "turn").map(({ allAttributes }) => allAttributes)).toEqual([
    { "gen_ai.conversation.id": "s1", "atomic.turn.outcome": "completed" },
    { "gen_ai.conversation.id": "s1", "atomic.turn.outcome": "failed" },
  ]);
  expect(findSpanFaults(telemetry.spans)).toEqual([]);
  expect(JSON.stringify(telemetry.spans)).not.toContain(SECRET);
});
