import { describe, expect, test } from "bun:test";
import { NO_USAGE, type UnknownRecord, type Usage } from "../../../contracts/index.ts";
import { emptyLedger, type ModelCall, priceUsage, settleLedger, updateCall } from "./claude-usage.ts";

function tokens(inputTokens: number, outputTokens: number): Usage {
  return { ...NO_USAGE, inputTokens, outputTokens };
}

function callOf(id: string, usage: Usage, isFinal = true): ModelCall {
  return { id, usage, isFinal };
}

function totalOf(inputTokens: number, outputTokens: number, price: object = { costBasis: "unknown" }): UnknownRecord {
  return { model_usage_since_last_result: { opus: { inputTokens, outputTokens, ...price } } };
}

describe("the usage that remains at the end of a turn", () => {
  test("is the last call", () => {
    const ledger = { ...emptyLedger(), held: callOf("2", tokens(20, 2)), reported: tokens(10, 1) };
    expect(settleLedger(ledger, totalOf(30, 3))).toEqual([tokens(20, 2)]);
  });

  test("includes the cost, with the last call", () => {
    const ledger = { ...emptyLedger(), held: callOf("1", tokens(20, 2)) };
    const result = totalOf(20, 2, { costBasis: "list", costUSD: 0.5 });
    expect(settleLedger(ledger, result)).toEqual([{ ...tokens(20, 2), costUsd: 0.5 }]);
    expect(settleLedger(emptyLedger(), totalOf(0, 0, { costUSD: 0.25 }))).toEqual([{ ...NO_USAGE, costUsd: 0.25 }]);
  });

  test("has no cost when one of its models is unpriced", () => {
    const ledger = { ...emptyLedger(), held: callOf("1", tokens(20, 2)) };
    const known = { inputTokens: 12, outputTokens: 1, costBasis: "list", costUSD: 0.5 };
    const unknown = { inputTokens: 8, outputTokens: 1, costBasis: "unknown", costUSD: 0.25 };
    const result = { model_usage_since_last_result: { opus: known, own: unknown } };
    expect(settleLedger(ledger, result)).toEqual([tokens(20, 2)]);
  });

  test("includes sub-agents' output tokens, which only the total contains", () => {
    const calls = [callOf("a", tokens(50, 0), false), callOf("b", tokens(60, 0), false)];
    const subagentCalls = new Map(calls.map((call) => [call.id, call]));
    const ledger = { held: callOf("2", tokens(20, 2)), reported: tokens(10, 1), subagentCalls };
    expect(settleLedger(ledger, totalOf(140, 14))).toEqual([tokens(50, 0), tokens(60, 11), tokens(20, 2)]);
    expect(settleLedger(ledger, totalOf(141, 14))).toEqual([
      tokens(50, 0),
      tokens(60, 11),
      tokens(1, 0),
      tokens(20, 2),
    ]);
  });

  test("includes the output of a call that was cut off", () => {
    const ledger = { ...emptyLedger(), held: callOf("1", tokens(20, 0), false) };
    expect(settleLedger(ledger, totalOf(20, 9))).toEqual([tokens(20, 9)]);
  });

  test("includes model calls outside of the conversation", () => {
    const ledger = { ...emptyLedger(), held: callOf("1", tokens(20, 2)) };
    expect(settleLedger(ledger, totalOf(25, 3))).toEqual([tokens(5, 1), tokens(20, 2)]);
  });

  test("is the seen usage when Claude Code reports no total or a smaller one", () => {
    const ledger = { ...emptyLedger(), held: callOf("1", tokens(20, 2)) };
    expect([settleLedger(ledger, {}), settleLedger(ledger, totalOf(1, 1))]).toEqual([[tokens(20, 2)], [tokens(20, 2)]]);
  });
});

test("numbers that a call's later events leave out stay the same", () => {
  const call = callOf("1", { ...tokens(20, 1), cacheReadTokens: 7 }, false);
  expect(updateCall(call, { output_tokens: 9, input_tokens: 0 })).toEqual({
    id: "1",
    isFinal: true,
    usage: { ...tokens(20, 9), cacheReadTokens: 7 },
  });
});

test("tokens cost the price of the endpoint's model; without a price the cost is unknown", () => {
  const usage = { ...tokens(1_000_000, 500_000), costUsd: 99 };
  expect(priceUsage(usage, { id: "m", costPerMillionInputUsd: 1, costPerMillionOutputUsd: 2 })).toEqual({
    ...tokens(1_000_000, 500_000),
    costUsd: 2,
  });
  expect(priceUsage(usage, { id: "m" })).toEqual(tokens(1_000_000, 500_000));
});
