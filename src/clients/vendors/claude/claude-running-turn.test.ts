import { expect, test } from "bun:test";
import { type AgentEventBody, BudgetSpentError, CostUnknownError, SessionLimits } from "../../../contracts/index.ts";
import type { ClaudeConnection } from "./claude-connection.ts";
import { AGENT_TYPE } from "./claude-errors.ts";
import { ClaudeRunningTurn } from "./claude-running-turn.ts";

const RESULT = { type: "result", subtype: "success", is_error: false, result: "Done.", user_message_uuids: [] };

/** A turn of a session with a budget of a dollar; each token costs a cent where there is a price. */
function beginTurn({ isPriced = false } = {}): ClaudeRunningTurn {
  const running = new ClaudeRunningTurn({
    sessionId: "s",
    // The cast is true as far as a turn that ends by itself, or is interrupted, uses its process.
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

/** Such a turn, in which Claude Code says this. */
async function runTurn(...messages: readonly object[]): Promise<ClaudeRunningTurn> {
  const running = beginTurn();
  for (const message of messages) running.take(message);
  await running.turn.settled;
  return running;
}

/** What Claude Code says of a call of the model that reads 20 tokens and writes 20. */
function callMessages(id: string): readonly object[] {
  const usage = { input_tokens: 20, output_tokens: 0 };
  return [
    { type: "stream_event", event: { type: "message_start", message: { id, usage } } },
    { type: "stream_event", event: { type: "message_delta", usage: { output_tokens: 20 } } },
  ];
}

test("a command that calls no model costs nothing, which a budget allows", async () => {
  const { turn } = await runTurn({ ...RESULT, total_cost_usd: 0.5, model_usage_since_last_result: {} });
  expect(turn.result().content).toBe("Done.");
});

test.each([
  { title: "no price at all", messages: [RESULT] },
  { title: "no usage, only what the process has cost so far", messages: [{ ...RESULT, total_cost_usd: 0.5 }] },
  {
    title: "the price of one of two models",
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
    title: "no price for the tokens of a call",
    messages: [
      {
        type: "stream_event",
        event: { type: "message_start", message: { id: "m", usage: { input_tokens: 10, output_tokens: 5 } } },
      },
      { ...RESULT, total_cost_usd: 0.5 },
    ],
  },
])("a turn that tells $title fails where there is a budget", async ({ messages }) => {
  const { turn } = await runTurn(...messages);
  expect(() => turn.result()).toThrow(new CostUnknownError(AGENT_TYPE));
});

test("a call that would follow after the budget is spent is not allowed", async () => {
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

test("what a sub-agent's calls have read counts before the next call", async () => {
  const running = beginTurn({ isPriced: true });
  const read = (id: string) => ({ id, usage: { input_tokens: 50, output_tokens: 0 } });
  running.take({ type: "assistant", parent_tool_use_id: "task", message: read("1") });
  expect(running.allowsCall()).toBe(true);
  running.take({ type: "assistant", parent_tool_use_id: "task", message: read("2") });
  expect(running.allowsCall()).toBe(false);
  running.take(RESULT);
  await running.turn.settled;
});

test("a turn whose answer is there is not failed by what its calls have cost", async () => {
  const running = beginTurn({ isPriced: true });
  for (const id of ["1", "2"]) for (const message of callMessages(id)) running.take(message);
  expect(running.allowsCall()).toBe(true);
  const usage = { input_tokens: 90, output_tokens: 0 };
  running.take({ type: "assistant", parent_tool_use_id: "task", message: { id: "sub", usage } });
  running.take(RESULT);
  await running.turn.settled;
  expect(running.turn.result()).toMatchObject({ content: "Done.", usage: { costUsd: expect.closeTo(1.7) } });
});
