import { describe, expect, test } from "bun:test";
import { toContextUsage, toMcpServerStatus } from "./copilot-status.ts";

describe("the state of an MCP server", () => {
  test.each([
    { title: "connected", raw: { name: "a", status: "connected" }, expected: { name: "a", status: "connected" } },
    { title: "being connected", raw: { name: "a", status: "pending" }, expected: { name: "a", status: "connecting" } },
    {
      title: "wants a login",
      raw: { name: "a", status: "needs-auth" },
      expected: { name: "a", status: "needs-sign-in" },
    },
    { title: "stopped", raw: { name: "a", status: "stopped" }, expected: { name: "a", status: "disabled" } },
    { title: "not set up", raw: { name: "a", status: "not_configured" }, expected: { name: "a", status: "disabled" } },
    {
      title: "failed, and why",
      raw: { name: "a", status: "failed", error: "no such program" },
      expected: { name: "a", status: "failed", detail: "no such program" },
    },
    {
      title: "one that nobody has heard of",
      raw: { name: "a", status: "in a new state" },
      expected: { name: "a", status: "failed" },
    },
    { title: "none at all", raw: undefined, expected: { name: "", status: "failed" } },
  ] as const)("$title", ({ raw, expected }) => {
    expect(toMcpServerStatus(raw)).toEqual(expected);
  });
});

describe("how full the context window is", () => {
  test.each([
    {
      title: "what may be sent counts, not the whole window",
      raw: { totalTokens: 25_000, promptTokenLimit: 100_000, limit: 128_000 },
      expected: { usedTokens: 25_000, maxTokens: 100_000, fraction: 0.25 },
    },
    {
      title: "else the whole window",
      raw: { totalTokens: 64_000, limit: 128_000 },
      expected: { usedTokens: 64_000, maxTokens: 128_000, fraction: 0.5 },
    },
    {
      title: "it is full at the most",
      raw: { totalTokens: 200, limit: 100 },
      expected: { usedTokens: 200, maxTokens: 100, fraction: 1 },
    },
    {
      title: "nothing is known before the first message",
      raw: null,
      expected: { usedTokens: 0, maxTokens: 0, fraction: 0 },
    },
  ])("$title", ({ raw, expected }) => {
    expect(toContextUsage(raw)).toEqual(expected);
  });
});
