import { expect, test } from "bun:test";
import { type AgentEventBody, BudgetSpentError, CostUnknownError, SessionLimits } from "../../../contracts/index.ts";
import type { ClaudeConnection } from "./claude-connection.ts";
import { AGENT_TYPE } from "./claude-errors.ts";
import { ClaudeRunningTurn } from "./claude-running-turn.ts";

const RESULT = { type: "result", subtype: "success", is_error: false, result: "Done.", user_message_uuids: [] };

/** A turn of a session with a budget of one dollar. If it is priced, each token costs a cent. */
function beginTurn({ isPriced = false } = {}): ClaudeRunningTurn {
  const running = new ClaudeRunningTurn({
    sessionId: "s",
    // The cast is true for the methods that a turn calls when it ends or is interrupted.
    connection: { push: () => {}, close: async () => {}, interrupt: async () => {} } as unknown as ClaudeConnection,
    stallTimeoutMs: 10_000,
    validate: undefined,
    limits: new SessionLimits({ agentType: AGENT_TYPE, config: { maxBudgetUsd: 1 }, asksAhead: true }),
    hasEndpoint: false,
    onEvent: () => {},
    price: ({ usage, ...event }): AgentEventBody => {
      const costUsd = (usage.inputTokens + usage.outputTokens) / 100;
      return { ...event, usage: isPriced ? { ...usage, costUsd } : usage };
    },
  });
  running.turn.start(() => running.begin("/context"));
  return running;
}

/** Runs such a turn with these messages from Claude Code. */
async function runTurn(...messages: readonly object[]): Promise<ClaudeRunningTurn> {
  const running = beginTurn();
  for (const message of messages) running.take(message);
  await running.turn.settled;
  return running;
}

/** Claude Code's messages for a model call with 20 input and 20 output tokens. */
function callMessages(id: string): readonly object[] {
  const usage = { input_tokens: 20, output_tokens: 0 };
  return [
    { type: "stream_event", event: { type: "message_start", message: { id, usage } } },
    { type: "stream_event", event: { type: "message_delta", usage: { output_tokens: 20 } } },
  ];
}

test("a command that calls no model is free, and passes a budget", async () => {
  const { turn } = await runTurn({ ...RESULT, total_cost_usd: 0.5, model_usage_since_last_result: {} });
  expect(turn.result().content).toBe("Done.");
});

test.each([
  { title: "no cost", messages: [RESULT] },
  { title: "no usage, only the total cost of the process", messages: [{ ...RESULT, total_cost_usd: 0.5 }] },
  {
    title: "the cost of only one of two models",
    messages: [
      {
        ...RESULT,
        total_cost_usd: 0.5,
        model_usage_since_last_result: {
          known: { inputTokens: 9, costBasis: "list", costUSD: 0.5 },
          unknown: { inputTokens: 9, costBasis: "unknown", costUSD: 0.1 },
        },
      },
    ],
  },
  {
    title: "no cost for the tokens of a call",
    messages: [
      {
        type: "stream_event",
        event: { type: "message_start", message: { id: "m", usage: { input_tokens: 10, output_tokens: 5 } } },
      },
      { ...RESULT, total_cost_usd: 0.5 },
    ],
  },
])("a turn that reports $title fails if the session has a budget", async ({ messages }) => {
  const { turn } = await runTurn(...messages);
  expect(() => turn.result()).toThrow(new CostUnknownError(AGENT_TYPE));
});

test("no further call is allowed once the budget is spent", async () => {
  const running = beginTurn({ isPriced: true });
  const answers = ["1", "2", "3"].map((id) => {
    for (const message of callMessages(id)) running.take(message);
    return running.allowsCall();
  });
  expect(answers).toEqual([true, true, false]);
  running.take(RESULT);
  await running.turn.settled;
  expect(() => running.turn.result()).toThrow(new BudgetSpentError(AGENT_TYPE, { spentUsd: 1.2, maxBudgetUsd: 1 }));
});

test("the input of a sub-agent's calls counts before the next call", async () => {
  const running = beginTurn({ isPriced: true });
  const read = (id: string) => ({ id, usage: { input_tokens: 50, output_tokens: 0 } });
  running.take({ type: "assistant", parent_tool_use_id: "task", message: read("1") });
  expect(running.allowsCall()).toBe(true);
  running.take({ type: "assistant", parent_tool_use_id: "task", message: read("2") });
  expect(running.allowsCall()).toBe(false);
  running.take(RESULT);
  await running.turn.settled;
});

test("a turn that has its answer does not fail because of its cost", async () => {
  const running = beginTurn({ isPriced: true });
  for (const id of ["1", "2"]) for (const message of callMessages(id)) running.take(message);
  expect(running.allowsCall()).toBe(true);
  const usage = { input_tokens: 90, output_tokens: 0 };
  running.take({ type: "assistant", parent_tool_use_id: "task", message: { id: "sub", usage } });
  running.take(RESULT);
  await running.turn.settled;
  expect(running.turn.result()).toMatchObject({ content: "Done.", usage: { costUsd: expect.closeTo(1.7) } });
});
