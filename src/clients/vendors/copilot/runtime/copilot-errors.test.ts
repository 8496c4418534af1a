import { describe, expect, test } from "bun:test";
import {
  AgentTurnError,
  ContextOverflowError,
  NotSignedInError,
  RateLimitedError,
  UnknownSessionError,
} from "../../../../contracts/index.ts";
import { toSessionError, toTurnError, toWaitError } from "./copilot-errors.ts";

describe("the error of a turn", () => {
  test.each([
    {
      title: "401 is a missing login",
      data: { errorType: "query", message: "Bad credentials", statusCode: 401 },
      expected: NotSignedInError,
      message:
        'The agent "copilot" is not signed in (Bad credentials). Set COPILOT_GITHUB_TOKEN, or run: copilot login (of GitHub\'s own program: npm install -g @github/copilot)',
    },
    {
      title: "a missing token, which has no status, is one, too",
      data: {
        errorType: "query",
        message: "Execution failed: InvalidArg, No GitHub OAuth token or Copilot HMAC key provided",
      },
      expected: NotSignedInError,
      message:
        'The agent "copilot" is not signed in (Execution failed: InvalidArg, No GitHub OAuth token or Copilot HMAC key provided). Set COPILOT_GITHUB_TOKEN, or run: copilot login (of GitHub\'s own program: npm install -g @github/copilot)',
    },
    {
      title: "a 403 of the provider is one, too; hints on other lines are left out",
      data: {
        errorType: "authentication",
        message: "Authentication failed with provider (HTTP 403).\n  Check …",
        statusCode: 403,
      },
      expected: NotSignedInError,
      message:
        'The agent "copilot" is not signed in (Authentication failed with provider (HTTP 403)). Set COPILOT_GITHUB_TOKEN, or run: copilot login (of GitHub\'s own program: npm install -g @github/copilot)',
    },
    {
      title: "a rate limit",
      data: { errorType: "rate_limit", message: "429 slow down", statusCode: 429 },
      expected: RateLimitedError,
      message: 'The provider of "copilot" limits the rate of calls: 429 slow down. Try again later.',
    },
    {
      title: "a rate limit that says for how long",
      data: { errorType: "rate_limit", message: "Please try again in 42 seconds" },
      expected: RateLimitedError,
      message: 'The provider of "copilot" limits the rate of calls: Please try again in 42 seconds. Try again in 42 s.',
    },
    {
      title: "a conversation that is too long, by the provider's message",
      data: { errorType: "query", message: "400 This model's maximum context length is 10 tokens.", statusCode: 400 },
      expected: ContextOverflowError,
      message:
        "The conversation with \"copilot\" is longer than the model's context window: 400 This model's maximum context length is 10 tokens. Summarize the session or start a new one.",
    },
    {
      title: "anything else, with the provider's message",
      data: { errorType: "query", message: "500 oops", statusCode: 500 },
      expected: AgentTurnError,
      message: 'The turn of the agent "copilot" failed: 500 oops',
    },
    {
      title: "an error without a message",
      data: undefined,
      expected: AgentTurnError,
      message: 'The turn of the agent "copilot" failed: Copilot gave no reason',
    },
  ])("$title", ({ data, expected, message }) => {
    const error = toTurnError(data);
    expect(error).toBeInstanceOf(expected);
    expect([error.message, error.cause]).toEqual([message, data]);
  });

  test("is retryable unless the same request would fail again", () => {
    const isRetryable = (statusCode?: number): boolean | undefined => {
      const error = toTurnError({ message: "no", ...(statusCode === undefined ? {} : { statusCode }) });
      return error instanceof AgentTurnError ? error.isRetryable : undefined;
    };
    expect([isRetryable(400), isRetryable(404), isRetryable(500), isRetryable()]).toEqual([false, false, true, true]);
  });
});

test("a conversation that the runtime does not have is recognized by the message", () => {
  const words = [
    "Request session.resume failed with message: Failed to load session events: Session not found: x",
    "Failed to delete session x: Session file not found for x",
    "Request sessions.fork failed with message: Cannot fork session x: no persisted or in-memory events found",
  ];
  for (const text of words) expect(toSessionError(new Error(text), "x")).toBeInstanceOf(UnknownSessionError);
  const other = new Error("disk full");
  expect(toSessionError(other, "x")).toBe(other);
});

test.each([
  { title: "a wait for a rate limit ends with its error", reason: "rate-limit", expected: RateLimitedError },
  { title: "any other wait ends with an error of the provider", reason: "overload", expected: AgentTurnError },
] as const)("$title", ({ reason, expected }) => {
  const error = toWaitError({ type: "waiting", sessionId: "s", reason, message: "busy" });
  expect(error).toBeInstanceOf(expected);
  expect(error.message).toBe(
    reason === "rate-limit"
      ? 'The provider of "copilot" limits the rate of calls: busy. Try again later.'
      : 'The turn of the agent "copilot" failed: the provider keeps failing: busy',
  );
});
