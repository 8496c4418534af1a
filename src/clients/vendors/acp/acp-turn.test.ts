import { describe, expect, test } from "bun:test";
import { ContextOverflowError } from "../../../contracts/index.ts";
import { AcpTurn } from "./acp-turn.ts";

function startTurn(): AcpTurn {
  const turn = new AcpTurn(
    {
      agentType: "odd",
      sessionId: "s",
      stallTimeoutMs: 60_000,
      interrupt: async (interrupted) => interrupted.complete(),
      onEvent: () => {},
    },
    { mcpServers: [], addedInputs: [] },
  );
  turn.turn.start(async () => {});
  return turn;
}

function writeMessage(turn: AcpTurn, messageId: string): void {
  const content = { type: "text", text: "A summary." };
  turn.receive({ sessionUpdate: "agent_message_chunk", messageId, content });
  turn.receive({ sessionUpdate: "agent_message_chunk", messageId, content });
}

describe("an agent in an endless loop", () => {
  test("is stopped at the ninth message in a row without a tool call", async () => {
    const turn = startTurn();
    for (let count = 1; count <= 8; count++) writeMessage(turn, `m${count}`);
    expect(turn.turn.signal.aborted).toBe(false);
    writeMessage(turn, "m9");
    await turn.turn.settled;
    expect(() => turn.turn.result()).toThrow(
      new ContextOverflowError(
        "odd",
        "the model wrote 8 messages in a row without doing anything, as when a conversation is compacted again and again",
      ),
    );
  });

  test("is stopped when it announces too many calls", async () => {
    const turn = startTurn();
    const announce = (index: number): void =>
      turn.receive({ sessionUpdate: "tool_call", toolCallId: `t${index}`, title: "ls", status: "pending" });
    for (let index = 0; index < 1_000; index++) announce(index);
    expect(turn.turn.signal.aborted).toBe(false);
    announce(1_000);
    await turn.turn.settled;
    expect(() => turn.turn.result()).toThrow(
      'The turn of the agent "odd" failed: it announced more than 1,000 tool calls that it has not begun, which is the most at a time',
    );
  });

  test.each([
    { sessionUpdate: "tool_call", toolCallId: "t", title: "ls", kind: "execute", status: "pending" },
    { sessionUpdate: "user_message_chunk", content: { type: "text", text: "And now?" } },
  ])("is not taken for one that works: $sessionUpdate", async (update) => {
    const turn = startTurn();
    for (let count = 1; count <= 20; count++) {
      writeMessage(turn, `m${count}`);
      if (count % 8 === 0) turn.receive(update);
    }
    expect(turn.turn.signal.aborted).toBe(false);
    turn.turn.complete();
    await turn.turn.settled;
  });
});
