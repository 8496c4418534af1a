import { describe, expect, test } from "bun:test";
import {
  AgentTurnError,
  ContextOverflowError,
  NotSignedInError,
  RateLimitedError,
  UnknownSessionError,
} from "../../../../contracts/index.ts";
import { describeLogin, toAcpError } from "./acp-errors.ts";

const context = { agentType: "odd", loginCommand: "odd login", sessionId: "s" };
const rpc = (code: number, message: string, data?: unknown) => Object.assign(new Error(message), { code, data });

describe("an error of the agent's", () => {
  test.each([
    { raw: rpc(-32_000, "Authentication required"), error: NotSignedInError },
    { raw: rpc(-32_603, "Internal error", { details: "API Error: 401 bad" }), error: NotSignedInError },
    { raw: rpc(-32_603, "Invalid API key"), error: NotSignedInError },
    { raw: rpc(-32_002, "Resource not found", { sessionId: "s" }), error: UnknownSessionError },
    { raw: rpc(-32_602, "Invalid params: session not found: s"), error: UnknownSessionError },
    { raw: rpc(-32_603, "prompt is too long: 250000 tokens > 200000 maximum"), error: ContextOverflowError },
    { raw: rpc(-32_603, "Internal error", "overloaded_error"), error: RateLimitedError },
    { raw: rpc(-32_603, "broken pipe"), error: AgentTurnError },
  ])("$raw.message is a $error.name", ({ raw, error }) => {
    expect(toAcpError(raw, context)).toBeInstanceOf(error);
  });

  test("about a login names the key when the agent calls the user's own endpoint", () => {
    const { message } = toAcpError(rpc(-32_603, "Invalid API key"), { ...context, hasEndpoint: true });
    expect(message).toBe(
      'The endpoint of the agent "odd" rejected its key (Invalid API key). Correct "agents.odd.endpoint.apiKey" in ~/.atomic/config.json, or in the project\'s .atomic/config.json.',
    );
  });

  test("contains the agent's message and its data once", () => {
    const errors = [
      rpc(-32_603, "Internal error", { details: "the disk is full" }),
      rpc(-32_603, "Internal error: it broke", { message: "it broke" }),
      rpc(-32_603, "Internal error"),
    ];
    expect(errors.map((raw) => toAcpError(raw, context).message)).toEqual([
      'The turn of the agent "odd" failed: the disk is full',
      'The turn of the agent "odd" failed: it broke',
      'The turn of the agent "odd" failed: it gave no reason',
    ]);
  });

  test("is retryable unless the request itself was wrong", () => {
    const isRetryable = (raw: unknown) => (toAcpError(raw, context) as AgentTurnError).isRetryable; // of none that is another class
    const wrong = [
      rpc(-32_602, "Invalid params"),
      rpc(-32_603, "API Error: 400 bad"),
      rpc(1, "x", { statusCode: 422 }),
    ];
    expect(wrong.map(isRetryable)).toEqual([false, false, false]);
    expect([rpc(-32_603, "API Error: 500 oops"), new Error("x")].map(isRetryable)).toEqual([true, true]);
  });

  test.each([
    ["Rate limit, try again in 2 minutes", undefined, 120_000],
    ["429 Too Many Requests; retry after 250ms", undefined, 250],
    ["quota exceeded", { retryAfter: 4 }, 4_000],
    ["rate limited", undefined, undefined],
  ])("%s contains the time to wait", (message, data, retryAfterMs) => {
    expect(toAcpError(rpc(-32_603, message, data), context)).toMatchObject({ code: "RATE_LIMITED", retryAfterMs });
  });

  test("of Atomic's own is unchanged", () => {
    const own = new UnknownSessionError("odd", "s");
    expect(toAcpError(own, context)).toBe(own);
  });
});

test("the sign-in command is the known one, else the agent's own hint", () => {
  const authMethods = [{ id: "a", name: "Login", description: "" }];
  expect([
    describeLogin("odd login", { command: "odd", authMethods }),
    describeLogin(undefined, { command: "odd", authMethods }),
    describeLogin(undefined, { command: "odd", authMethods: [] }),
  ]).toEqual(["odd login", "odd (Login)", "odd"]);
});
