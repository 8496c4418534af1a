import { describe, expect, test } from "bun:test";
import { NO_USAGE } from "../../../contracts/index.ts";
import { NEW_METER, readMeter, readUsage, toContextUsage, UNKNOWN_METER } from "./acp-usage.ts";

const unchanged = { before: UNKNOWN_METER, after: UNKNOWN_METER };
const update = (used: number, cost?: object) => ({ sessionUpdate: "usage_update", used, size: 100, cost });

describe("the tokens of a prompt", () => {
  test.each([
    {
      title: "are the standard ones, with cache reads counted separately",
      answer: {
        usage: { inputTokens: 10, outputTokens: 2, cachedReadTokens: 3, cachedWriteTokens: 4, totalTokens: 19 },
      },
      usage: { inputTokens: 10, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 },
    },
    {
      title: "include thinking that is counted separately",
      answer: { usage: { inputTokens: 10, outputTokens: 2, thoughtTokens: 5, totalTokens: 17 } },
      usage: { inputTokens: 10, outputTokens: 7, cacheReadTokens: 0, cacheWriteTokens: 0 },
    },
    {
      title: "do not count thinking twice",
      answer: { usage: { inputTokens: 10, outputTokens: 7, thoughtTokens: 5, totalTokens: 17 } },
      usage: { inputTokens: 10, outputTokens: 7, cacheReadTokens: 0, cacheWriteTokens: 0 },
    },
    {
      title: "are the sum over the models, sub-agents included, where the agent reports it",
      answer: {
        usage: { inputTokens: 10, outputTokens: 1, totalTokens: 11 },
        _meta: {
          quota: {
            model_usage: [
              { token_count: { inputTokens: 10, outputTokens: 1, cachedInputTokens: 4, totalTokens: 15 } },
              { token_count: { inputTokens: 20, outputTokens: 2, cachedWriteTokens: 8, totalTokens: 30 } },
            ],
          },
        },
      },
      usage: { inputTokens: 30, outputTokens: 3, cacheReadTokens: 4, cacheWriteTokens: 8 },
    },
    {
      title: "are the standard ones where the sum counts in another way",
      answer: {
        usage: { inputTokens: 10, outputTokens: 1, totalTokens: 11 },
        _meta: {
          quota: { model_usage: [{ token_count: { inputTokens: 14, cachedInputTokens: 4, totalTokens: 14 } }] },
        },
      },
      usage: { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
    },
    { title: "are unknown where the agent does not report them", answer: { stopReason: "end_turn" }, usage: undefined },
  ])("$title", ({ answer, usage }) => {
    expect(readUsage(answer, unchanged)).toEqual(usage);
  });
});

describe("the meter", () => {
  test("counts dollars from the start of a new conversation, and no other currency", () => {
    const usage = { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } };
    const tokens = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const after = readMeter(NEW_METER, update(5, { amount: 0.1 + 0.2, currency: "USD" }));
    expect(readUsage(usage, { before: NEW_METER, after })).toEqual({ ...tokens, costUsd: 0.3 });
    expect(readUsage({}, { before: NEW_METER, after })).toEqual({ ...NO_USAGE, costUsd: 0.3 });
    const euros = readMeter(NEW_METER, update(5, { amount: 7, currency: "EUR" }));
    expect(readUsage(usage, { before: NEW_METER, after: euros })).toEqual(tokens);
  });

  test("keeps its values where an update has none", () => {
    const meter = readMeter(UNKNOWN_METER, update(40));
    expect(toContextUsage(readMeter(meter, update(0)))).toEqual({ usedTokens: 40, maxTokens: 100, fraction: 0.4 });
    expect(toContextUsage(readMeter(UNKNOWN_METER, undefined))).toEqual({ usedTokens: 0, maxTokens: 0, fraction: 0 });
  });
});
