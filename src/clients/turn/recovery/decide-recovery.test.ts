import { expect, test } from "bun:test";
import {
  AgentCrashedError,
  AgentTooOldError,
  AgentTurnError,
  type AtomicError,
  CapabilityMissingError,
  ClientNotInstalledError,
  ContextOverflowError,
  NotSignedInError,
  RateLimitedError,
  SessionBusyError,
  SessionDestroyedError,
  StructuredOutputError,
  TurnStalledError,
  UnknownSessionError,
} from "../../../contracts/index.ts";
import { decideRecovery, type FailedAttempt, type RecoveryPolicy, waitingReasonOf } from "./decide-recovery.ts";

const CRASH = new AgentCrashedError("claude", "signal SIGKILL", []);
const POLICY: RecoveryPolicy = { jitter: 0, fallbackModels: ["small", "tiny"] };

function decide(error: AtomicError, policy: RecoveryPolicy = POLICY, attempt: Partial<FailedAttempt> = {}): unknown {
  return decideRecovery(policy, { error, failures: 1, fallbacksUsed: 0, canChangeModel: true, random: 0, ...attempt });
}

test.each<{ title: string; error: AtomicError; expected: string }>([
  { title: "a stall passes", error: new TurnStalledError("claude", 5), expected: "retry" },
  { title: "a crash passes", error: CRASH, expected: "retry" },
  { title: "a rate limit passes", error: new RateLimitedError("claude", "slow down"), expected: "retry" },
  { title: "an error of the provider's passes", error: new AgentTurnError("claude", "oops"), expected: "retry" },
  {
    title: "one that says it does not, does not",
    error: new AgentTurnError("claude", "malformed", { isRetryable: false }),
    expected: "give-up",
  },
  { title: "a missing login does not", error: new NotSignedInError("claude", "claude login"), expected: "give-up" },
  { title: "a missing program does not", error: new ClientNotInstalledError("claude", "it"), expected: "give-up" },
  {
    title: "a missing capability does not",
    error: new CapabilityMissingError("acp", "steer", []),
    expected: "give-up",
  },
  { title: "a full context does not", error: new ContextOverflowError("claude", "200,001"), expected: "give-up" },
  { title: "a busy session does not", error: new SessionBusyError("s"), expected: "give-up" },
  { title: "an unknown session does not", error: new UnknownSessionError("claude", "s"), expected: "give-up" },
  { title: "a wrong shape does not", error: new StructuredOutputError("claude", ["no"], ""), expected: "give-up" },
])("$title", ({ error, expected }) => {
  expect(decide(error)).toMatchObject({ type: expected });
});

test("a policy's own retryOn decides about all but what another attempt cannot change", () => {
  const all: RecoveryPolicy = { ...POLICY, retryOn: () => true };
  expect(decide(new StructuredOutputError("claude", ["no"], ""), all)).toEqual({ type: "retry", delayMs: 1_000 });
  const lasting = [
    new NotSignedInError("claude", "claude login"),
    new AgentTooOldError("claude", "/bin/claude", { found: "1.0.0", oldest: "2.0.0" }),
    new SessionDestroyedError("s"),
  ];
  expect(lasting.map((error) => decide(error, all))).toEqual(lasting.map(() => ({ type: "give-up" })));
  expect(decide(CRASH, { ...POLICY, retryOn: () => false })).toEqual({ type: "give-up" });
});

test.each([
  { title: "the first pause is the base", failures: 1, random: 0, jitter: 0.5, expected: 100 },
  { title: "it doubles", failures: 3, random: 0, jitter: 0.5, expected: 400 },
  { title: "up to the longest", failures: 9, random: 0, jitter: 0.5, expected: 1_000 },
  { title: "chance shortens it by its part", failures: 2, random: 0.5, jitter: 0.5, expected: 150 },
  { title: "or not at all", failures: 2, random: 1, jitter: 0, expected: 200 },
])("$title", ({ failures, random, jitter, expected }) => {
  const policy = { maxAttempts: 10, baseDelayMs: 100, maxDelayMs: 1_000, jitter };
  expect(decide(CRASH, policy, { failures, random })).toEqual({ type: "retry", delayMs: expected });
});

test.each<{ title: string; retryAfterMs: number; attempt?: Partial<FailedAttempt>; expected: unknown }>([
  {
    title: "a provider's own pause counts, beyond the longest of ours too",
    retryAfterMs: 60_000,
    expected: { type: "retry", delayMs: 60_000 },
  },
  { title: "ours counts where it is longer", retryAfterMs: 10, expected: { type: "retry", delayMs: 1_000 } },
  {
    title: "where it asks for too much, the next model takes over at once",
    retryAfterMs: 300_001,
    expected: { type: "fallback", model: "small" },
  },
  {
    title: "or the turn fails, where there is none",
    retryAfterMs: 300_001,
    attempt: { fallbacksUsed: 2 },
    expected: { type: "give-up" },
  },
])("$title", ({ retryAfterMs, attempt, expected }) => {
  expect(decide(new RateLimitedError("claude", "slow down", retryAfterMs), POLICY, attempt)).toEqual(expected);
});

test.each<{ title: string; attempt: Partial<FailedAttempt>; expected: unknown }>([
  {
    title: "the third failure is a model's last",
    attempt: { failures: 2 },
    expected: { type: "retry", delayMs: 2_000 },
  },
  { title: "then the first fallback", attempt: { failures: 3 }, expected: { type: "fallback", model: "small" } },
  {
    title: "then the second",
    attempt: { failures: 3, fallbacksUsed: 1 },
    expected: { type: "fallback", model: "tiny" },
  },
  { title: "then none", attempt: { failures: 3, fallbacksUsed: 2 }, expected: { type: "give-up" } },
  {
    title: "none where a conversation cannot be taken up",
    attempt: { failures: 3, canChangeModel: false },
    expected: { type: "give-up" },
  },
])("$title", ({ attempt, expected }) => {
  expect(decide(CRASH, POLICY, attempt)).toEqual(expected);
});

test.each<{ error: AtomicError; reason: ReturnType<typeof waitingReasonOf> }>([
  { error: new RateLimitedError("claude", "slow down"), reason: "rate-limit" },
  { error: new TurnStalledError("claude", 5), reason: "stall" },
  { error: CRASH, reason: "crash" },
  { error: new AgentTurnError("claude", "busy", { statusCode: 529 }), reason: "overload" },
  { error: new AgentTurnError("claude", "busy", { statusCode: 503 }), reason: "overload" },
  {
    error: new AgentTurnError("claude", "lost", { cause: Object.assign(new Error("lost"), { code: "ECONNRESET" }) }),
    reason: "network",
  },
  { error: new AgentTurnError("opencode", "Cannot connect to API: Unable to connect."), reason: "network" },
  { error: new AgentTurnError("claude", "oops", { statusCode: 500 }), reason: "provider-error" },
])("one waits because of $reason", ({ error, reason }) => {
  expect(waitingReasonOf(error)).toBe(reason);
});
