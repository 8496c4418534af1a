import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { RateLimitedError } from "../../../contracts/index.ts";
import { maxAttemptsOf } from "../../model/max-attempts.ts";
import type { RetryConfig } from "../../model/node-definition.ts";
import { planRetry } from "./retry-policy.ts";

const ERROR = new Error("x");
const FIXED: RetryConfig = { maxAttempts: 10, jitter: 0 };

describe("planning a retry", () => {
  test.each<{
    title: string;
    retry: RetryConfig | undefined;
    failures: number;
    error?: Error;
    expected: number | undefined;
  }>([
    { title: "there is no other attempt by default", retry: undefined, failures: 1, expected: undefined },
    { title: "an empty policy means one attempt", retry: {}, failures: 1, expected: undefined },
    { title: "the first pause is a second", retry: FIXED, failures: 1, expected: 1_000 },
    { title: "each pause is twice as long", retry: FIXED, failures: 4, expected: 8_000 },
    { title: "no pause is longer than half a minute", retry: FIXED, failures: 9, expected: 30_000 },
    { title: "attempts are bounded", retry: { ...FIXED, maxAttempts: 3 }, failures: 3, expected: undefined },
    { title: "the last attempt is allowed", retry: { ...FIXED, maxAttempts: 3 }, failures: 2, expected: 2_000 },
    { title: "the base counts", retry: { ...FIXED, backoffMs: 10 }, failures: 3, expected: 40 },
    {
      title: "the multiplier counts",
      retry: { ...FIXED, backoffMs: 10, backoffMultiplier: 3 },
      failures: 3,
      expected: 90,
    },
    { title: "the cap counts", retry: { ...FIXED, maxBackoffMs: 1_500 }, failures: 2, expected: 1_500 },
    { title: "a pause can be none", retry: { ...FIXED, backoffMs: 0 }, failures: 5, expected: 0 },
    {
      title: "what the error asks for is a lower bound",
      retry: FIXED,
      failures: 1,
      error: new RateLimitedError("a", "busy", 5_000),
      expected: 5_000,
    },
    {
      title: "what the error asks for goes beyond the cap",
      retry: FIXED,
      failures: 1,
      error: new RateLimitedError("a", "busy", 90_000),
      expected: 90_000,
    },
    {
      title: "a longer pause than the error asks for stays",
      retry: FIXED,
      failures: 4,
      error: new RateLimitedError("a", "busy", 5_000),
      expected: 8_000,
    },
    {
      title: "an error that asks for nothing changes nothing",
      retry: FIXED,
      failures: 1,
      error: new RateLimitedError("a", "busy"),
      expected: 1_000,
    },
    {
      title: "an error that asks for nonsense changes nothing",
      retry: FIXED,
      failures: 1,
      error: Object.assign(new Error("x"), { retryAfterMs: Number.NaN }),
      expected: 1_000,
    },
  ])("$title", ({ retry, failures, error = ERROR, expected }) => {
    expect(planRetry({ id: "n", retry }, error, failures, 0.5)).toBe(expected);
  });

  test("jitter varies the pause to both sides by its share", () => {
    const retry = { maxAttempts: 10, jitter: 0.2 };
    expect([0, 0.5, 1].map((random) => planRetry({ id: "n", retry }, ERROR, 1, random))).toEqual([800, 1_000, 1_200]);
    expect(planRetry({ id: "n", retry: { maxAttempts: 2 } }, ERROR, 1, 0)).toBe(800);
    expect(planRetry({ id: "n", retry: { maxAttempts: 2, jitter: 1 } }, ERROR, 1, 0)).toBe(0);
    expect(planRetry({ id: "n", retry: { maxAttempts: 2, maxBackoffMs: 1_100 } }, ERROR, 1, 1)).toBe(1_100);
  });

  test("a pause stays within its bounds for every random number", () => {
    const policy = fc.record({
      maxAttempts: fc.constant(100),
      backoffMs: fc.integer({ min: 0, max: 10_000 }),
      backoffMultiplier: fc.double({ min: 1, max: 10, noNaN: true }),
      maxBackoffMs: fc.integer({ min: 0, max: 60_000 }),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(policy, fc.integer({ min: 1, max: 50 }), random, (retry, failures, chance) => {
        const pauseMs = planRetry({ id: "n", retry }, ERROR, failures, chance) ?? Number.NaN;
        const plannedMs = Math.min(retry.maxBackoffMs, retry.backoffMs * retry.backoffMultiplier ** (failures - 1));
        expect(pauseMs).toBeGreaterThanOrEqual(Math.floor(plannedMs * (1 - retry.jitter)));
        expect(pauseMs).toBeLessThanOrEqual(Math.min(retry.maxBackoffMs, Math.ceil(plannedMs * (1 + retry.jitter))));
        expect(Number.isInteger(pauseMs)).toBe(true);
      }),
    );
  });

  test("retryOn decides, and receives the error and the number of failures", () => {
    const asked: unknown[] = [];
    const retryOn = (error: Error, attempt: number): boolean => {
      asked.push([error.message, attempt]);
      return attempt < 2;
    };
    const retry = { ...FIXED, retryOn };
    expect([1, 2].map((failures) => planRetry({ id: "n", retry }, ERROR, failures, 0.5))).toEqual([1_000, undefined]);
    expect(asked).toEqual([
      ["x", 1],
      ["x", 2],
    ]);
  });

  test("retryOn finds the error as error.error too, and an error's own there", () => {
    const retryOn = ({ error }: { readonly error: Error }): boolean => error.message === "rate limit";
    const retry = { ...FIXED, retryOn };
    expect(planRetry({ id: "n", retry }, new Error("rate limit"), 1, 0.5)).toBe(1_000);
    expect(planRetry({ id: "n", retry }, Object.freeze(new Error("x", { cause: 1 })), 2, 0.5)).toBeUndefined();
    const wrapped = Object.assign(new Error("outside"), { error: new Error("rate limit") });
    expect(planRetry({ id: "n", retry }, wrapped, 1, 0.5)).toBe(1_000);
    expect(Object.keys(wrapped)).toEqual(["error"]);
  });

  test("a retryOn that returns a promise is an error that names its node", () => {
    const retryOn = (() => Promise.resolve(false)) as unknown as () => boolean;
    expect(() => planRetry({ id: "n", retry: { ...FIXED, retryOn } }, ERROR, 1, 0.5)).toThrow(
      'The function "retryOn" of "n" returned a promise, which it cannot wait for.',
    );
  });

  test("retryOn is not called when no attempt is left", () => {
    const retryOn = (): boolean => {
      throw new Error("asked");
    };
    expect(planRetry({ id: "n", retry: { maxAttempts: 1, retryOn } }, ERROR, 1, 0.5)).toBeUndefined();
  });

  test("a node runs once unless it says otherwise", () => {
    expect([maxAttemptsOf(undefined), maxAttemptsOf({}), maxAttemptsOf({ maxAttempts: 4 })]).toEqual([1, 1, 4]);
  });
});
