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
      title: "unknown",
      raw: { name: "a", status: "in a new state" },
      expected: { name: "a", status: "failed" },
    },
    { title: "missing", raw: undefined, expected: { name: "", status: "failed" } },
  ] as const)("$title", ({ raw, expected }) => {
    expect(toMcpServerStatus(raw)).toEqual(expected);
  });
});

describe("how full the context window is", () => {
  test.each([
    {
      title: "counts the prompt limit, not the whole window",
      raw: { totalTokens: 25_000, promptTokenLimit: 100_000, limit: 128_000 },
      expected: { usedTokens: 25_000, maxTokens: 100_000, fraction: 0.25 },
    },
    {
      title: "counts the whole window without a prompt limit",
      raw: { totalTokens: 64_000, limit: 128_000 },
      expected: { usedTokens: 64_000, maxTokens: 128_000, fraction: 0.5 },
    },
    {
      title: "is at most 1",
      raw: { totalTokens: 200, limit: 100 },
      expected: { usedTokens: 200, maxTokens: 100, fraction: 1 },
    },
    {
      title: "is 0 before the first message",
      raw: null,
      expected: { usedTokens: 0, maxTokens: 0, fraction: 0 },
    },
  ])("$title", ({ raw, expected }) => {
    expect(toContextUsage(raw)).toEqual(expected);
  });
});
