import { describe, expect, test } from "bun:test";
import {
  AgentTurnError,
  ContextOverflowError,
  NotSignedInError,
  RateLimitedError,
  StructuredOutputError,
  UnknownSessionError,
} from "../../../contracts/index.ts";
import { parseApiRetry, toRetryError, toTurnError } from "./claude-errors.ts";

const CONTEXT = { sessionId: "s", content: "so far", now: 1_000 };

describe("the error of a turn", () => {
  test.each([
    { result: { api_error_status: 401, result: "Invalid API key · Fix external API key" }, kind: undefined },
    { result: { api_error_status: null, result: "Not logged in · Please run /login" }, kind: undefined },
    { result: { api_error_status: 403, result: "API Error: 403 no" }, kind: undefined },
    { result: { api_error_status: null, result: "Your organisation says no" }, kind: "oauth_org_not_allowed" },
  ])("is a missing login: $result.result", ({ result, kind }) => {
    const error = toTurnError(result, { ...CONTEXT, ...(kind === undefined ? {} : { errorKind: kind }) });
    expect(error).toBeInstanceOf(NotSignedInError);
    expect(error.message).toEndWith("Set ANTHROPIC_API_KEY, or run: claude auth login");
  });

  test("is a rate limit, with the time to wait if Claude Code reported it", () => {
    const refused = { api_error_status: 429, result: "API Error: Request rejected (429) · slow" };
    expect(toTurnError(refused, CONTEXT)).toEqual(
      new RateLimitedError("claude", "Request rejected (429) · slow", undefined, { cause: refused }),
    );
    const limited = { result: "You've hit your session limit" };
    expect(toTurnError(limited, { ...CONTEXT, limitResetsAt: 61_000 })).toEqual(
      new RateLimitedError("claude", "You've hit your session limit", 60_000, { cause: limited }),
    );
  });

  test("is a full context", () => {
    const result = { api_error_status: 400, terminal_reason: "prompt_too_long", result: "Prompt is too long" };
    expect(toTurnError(result, CONTEXT)).toEqual(
      new ContextOverflowError("claude", "Prompt is too long", { cause: result }),
    );
  });

  test("is an answer that does not match the schema, with the problem", () => {
    const errors = [
      "Failed to provide valid structured output after 3 attempts — last StructuredOutput error: Output does not match required schema: /answer: must be number",
    ];
    expect(toTurnError({ subtype: "error_max_structured_output_retries", errors }, CONTEXT)).toEqual(
      new StructuredOutputError("claude", ["/answer: must be number"], "so far"),
    );
  });

  test("is a missing conversation", () => {
    const result = { subtype: "error_during_execution", errors: ["No conversation found with session ID: s"] };
    expect(toTurnError(result, CONTEXT)).toEqual(new UnknownSessionError("claude", "s", { cause: result }));
  });

  test.each([
    { result: { api_error_status: 400, result: "API Error: 400 bad" }, message: "400 bad", status: 400, again: false },
    { result: { api_error_status: 500, result: "API Error: 500" }, message: "500", status: 500, again: true },
    { result: { api_error_status: null, result: "API Error: lost" }, message: "lost", status: undefined, again: true },
    {
      result: { api_error_status: 404, result: "There's an issue with the selected model (x)." },
      message: "There's an issue with the selected model (x).",
      status: 404,
      again: false,
    },
    { result: {}, message: "Claude Code gave no reason", status: undefined, again: true },
  ])("is anything else, and says whether another attempt is of use: $message", (expected) => {
    const error = toTurnError(expected.result, CONTEXT);
    expect(error.message).toBe(`The turn of the agent "claude" failed: ${expected.message}`);
    expect(error).toMatchObject({ statusCode: expected.status, isRetryable: expected.again });
    expect(error).toBeInstanceOf(AgentTurnError);
  });
});

describe("a turn that is stopped while Claude Code waits for a retry", () => {
  test.each([
    { raw: { attempt: 2, retry_delay_ms: 500, error_status: 429, error: "rate_limit" }, retryAfterMs: 4_000 },
    { raw: { attempt: 2, retry_delay_ms: 500, error_status: 529, error: "overloaded" }, retryAfterMs: 4_000 },
  ])("is limited in its rate: $raw.error", ({ raw, retryAfterMs }) => {
    const error = toRetryError(parseApiRetry(raw), 5_000, 1_000);
    expect(error).toMatchObject({ code: "RATE_LIMITED", retryAfterMs });
  });

  test("fails with the reason that Claude Code reported", () => {
    const error = toRetryError(parseApiRetry({ attempt: 3, error_status: null, error: "unknown" }), 0, 1_000);
    expect(error.message).toBe(
      'The turn of the agent "claude" failed: the provider keeps failing: no answer (unknown), attempt 3',
    );
  });
});
