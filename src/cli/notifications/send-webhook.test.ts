import { afterEach, beforeEach, expect, test } from "bun:test";
import { WEBHOOK_SECRET, WebhookReceiver } from "./fixtures/webhook-receiver.ts";
import { parseRetryAfter, sendWebhook } from "./send-webhook.ts";

const NOTIFICATION = JSON.stringify({ id: "r:completed:1", type: "completed" });
const { signal } = new AbortController();

let receiver: WebhookReceiver;

beforeEach(() => {
  receiver = new WebhookReceiver();
});
afterEach(() => receiver.stop());

const send = (url = receiver.url, timeoutMs = 5_000) =>
  sendWebhook({ url, secret: WEBHOOK_SECRET, id: "r:completed:1", body: NOTIFICATION, signal, timeoutMs });

test("a notification arrives signed, with its id, as it was", async () => {
  expect(await send()).toEqual({ type: "delivered" });
  expect(receiver.problems).toEqual([]);
  expect(receiver.requests.map(({ body, deliveryId }) => ({ body, deliveryId }))).toEqual([
    { body: NOTIFICATION, deliveryId: "r:completed:1" },
  ]);
});

test.each([
  { status: 204, outcome: { type: "delivered" } },
  { status: 400, outcome: { type: "rejected", reason: "it answered 400" } },
  { status: 404, outcome: { type: "rejected", reason: "it answered 404" } },
  { status: 408, outcome: { type: "failed", reason: "it answered 408" } },
  {
    status: 429,
    headers: { "Retry-After": "7" },
    outcome: { type: "failed", reason: "it answered 429", retryAfterMs: 7_000 },
  },
  { status: 503, outcome: { type: "failed", reason: "it answered 503" } },
] as const)("the answer $status means $outcome.type", async ({ status, outcome, ...more }) => {
  receiver.answer = () =>
    new Response(status === 204 ? null : "no", { status, headers: "headers" in more ? more.headers : {} });
  expect(await send()).toEqual(outcome);
});

test("a redirect is not followed", async () => {
  const other = new WebhookReceiver();
  try {
    receiver.answer = () => new Response(null, { status: 307, headers: { Location: other.url } });
    expect(await send()).toEqual({
      type: "rejected",
      reason: "it answered 307, a redirect, which Atomic does not follow: correct the url",
    });
    expect(other.requests).toEqual([]);
  } finally {
    await other.stop();
  }
});

test("a receiver that does not answer, or is not there, failed for now", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  receiver.answer = () => promise;
  expect(await send(receiver.url, 50)).toEqual({
    type: "failed",
    reason: "it did not answer within 0.05 seconds",
    isUnanswered: true,
  });
  resolve(new Response());
  await receiver.stop();
  const outcome = await send();
  expect([outcome.type, "reason" in outcome ? outcome.reason : ""]).toEqual([
    "failed",
    "it cannot be reached (ECONNREFUSED)",
  ]);
});

test("a cancel is thrown", async () => {
  const reason = new Error("left");
  const cancelled = {
    url: receiver.url,
    secret: WEBHOOK_SECRET,
    id: "x",
    body: "{}",
    signal: AbortSignal.abort(reason),
  };
  const error = await sendWebhook(cancelled).catch((thrown: unknown) => thrown);
  expect(error).toBe(reason);
});

test.each([
  { header: null, expected: undefined },
  { header: "", expected: undefined },
  { header: "soon", expected: undefined },
  { header: "120", expected: 120_000 },
  { header: "Thu, 01 Jan 1970 00:01:00 GMT", expected: 60_000 },
  { header: "99999999", expected: 86_400_000 },
])("Retry-After $header is $expected ms", ({ header, expected }) => {
  expect(parseRetryAfter(header, 0)).toBe(expected);
});
