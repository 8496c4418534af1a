import { expect, test } from "bun:test";
import { toCallError, toRetryError, toTurnError } from "./opencode-errors.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

function apiError(statusCode: number, headers: object = {}, isRetryable = false): object {
  return { name: "APIError", data: { message: "words", statusCode, isRetryable, responseHeaders: headers } };
}

test.each<{ title: string; raw: unknown; expected: object }>([
  {
    title: "401 names the login command",
    raw: apiError(401),
    expected: {
      code: "NOT_SIGNED_IN",
      message: 'The agent "opencode" is not signed in (words). Run: opencode auth login',
    },
  },
  {
    title: "a missing key names the login command",
    raw: { name: "ProviderAuthError", data: { providerID: "x", message: "no key" } },
    expected: { code: "NOT_SIGNED_IN" },
  },
  {
    title: "429 says how long to wait, in seconds",
    raw: apiError(429, { "retry-after": "12" }),
    expected: { code: "RATE_LIMITED", retryAfterMs: 12_000 },
  },
  {
    title: "429 says how long to wait, as a date",
    raw: apiError(429, { "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }),
    expected: { code: "RATE_LIMITED", retryAfterMs: 30_000 },
  },
  {
    title: "429 says how long to wait, in milliseconds",
    raw: apiError(429, { "retry-after-ms": "250" }),
    expected: { code: "RATE_LIMITED", retryAfterMs: 250 },
  },
  { title: "429 without a time", raw: apiError(429), expected: { code: "RATE_LIMITED", retryAfterMs: undefined } },
  {
    title: "a full context",
    raw: { name: "ContextOverflowError", data: { message: "too long" } },
    expected: { code: "CONTEXT_OVERFLOW" },
  },
  {
    title: "an answer that does not match its schema",
    raw: { name: "StructuredOutputError", data: { message: "no object" } },
    expected: { code: "STRUCTURED_OUTPUT_INVALID", problems: ["no object"], content: "said" },
  },
  {
    title: "a rejected request",
    raw: apiError(400),
    expected: { code: "AGENT_TURN_FAILED", statusCode: 400, isRetryable: false },
  },
  {
    title: "a provider that cannot be reached",
    raw: { name: "APIError", data: { message: "Cannot connect to API: oops", isRetryable: true } },
    expected: {
      code: "AGENT_TURN_FAILED",
      isRetryable: true,
      message:
        'The turn of the agent "opencode" failed: Cannot connect to API: oops (model opencode/free). Check the network of this machine, or choose a model of a provider that it reaches.',
    },
  },
  {
    title: "a failing provider",
    raw: apiError(503, {}, true),
    expected: { code: "AGENT_TURN_FAILED", statusCode: 503, isRetryable: true },
  },
  {
    title: "an error with a stack trace",
    raw: {
      name: "UnknownError",
      data: { message: "ProviderModelNotFoundError: Model not found: a/b.\n    at <anonymous>" },
    },
    expected: {
      message: 'The turn of the agent "opencode" failed: Model not found: a/b.',
      isRetryable: false,
    },
  },
  {
    title: "nothing at all",
    raw: undefined,
    expected: { message: 'The turn of the agent "opencode" failed: OpenCode gave no reason' },
  },
])("$title", ({ raw, expected }) => {
  expect(toTurnError(raw, { content: "said", now: NOW, model: "opencode/free" })).toMatchObject(expected);
});

test("with an endpoint, the error about a model that it does not have names its models", () => {
  const message = "Model not found: anthropic/claude-4. Did you mean: claude-4-5, claude-3?";
  const raw = { name: "UnknownError", data: { message } };
  const turn = { content: "", now: NOW };
  expect(toTurnError(raw, { ...turn, endpointModels: ["m1", "m2"] })).toMatchObject({
    message:
      'The turn of the agent "opencode" failed: Model not found: anthropic/claude-4. The agent\'s endpoint has: m1, m2. Choose one of them, as with --model m1',
    isRetryable: false,
  });
  expect(toTurnError(raw, turn).message).toBe(`The turn of the agent "opencode" failed: ${message}`);
});

test.each([
  { message: "Too Many Requests", nextAt: NOW + 5_000, expected: { code: "RATE_LIMITED", retryAfterMs: 5_000 } },
  { message: "quota exceeded", nextAt: 0, expected: { code: "RATE_LIMITED", retryAfterMs: undefined } },
  {
    message: "connect ECONNREFUSED",
    nextAt: NOW,
    expected: {
      message: 'The turn of the agent "opencode" failed: the provider keeps failing: connect ECONNREFUSED',
      isRetryable: true,
    },
  },
])("stalled by $message", ({ message, nextAt, expected }) => {
  expect(toRetryError({ message, nextAt }, NOW)).toMatchObject(expected);
});

test.each([
  {
    title: "entries",
    body: {
      name: "ConfigInvalidError",
      data: {
        path: "/p/opencode.json",
        issues: [
          { path: ["command", "c", "template"], message: "Missing key" },
          { path: ["agent", "bad"], message: "Expected object, got 7" },
        ],
      },
    },
    detail: "command.c.template: Missing key; agent.bad: Expected object, got 7",
  },
  {
    title: "text",
    body: {
      name: "ConfigJsonError",
      data: {
        path: "/p/opencode.json",
        message:
          "\n--- JSONC Input ---\n{ }\n\n--- Errors ---\nValueExpected at line 1, column 12\n   Line 1: {}\n--- End ---",
      },
    },
    detail: "ValueExpected at line 1, column 12",
  },
  {
    title: "text of another kind",
    body: { name: "ConfigFrontmatterError", data: { path: "/p/opencode.json", message: "No YAML\n  at x" } },
    detail: "No YAML",
  },
])("a configuration with faulty $title names its file", ({ body, detail }) => {
  const cause = new Error(body.name, { cause: { body, status: 400 } });
  expect(toCallError(cause)).toMatchObject({
    code: "AGENT_CONFIG_INVALID",
    message: `The agent "opencode" rejected /p/opencode.json: ${detail}. Correct the file.`,
    cause,
  });
});

test("another error of a call stays as it is", () => {
  const error = new Error("Session not found", { cause: { body: { name: "NotFoundError" }, status: 404 } });
  expect(toCallError(error)).toBe(error);
});
