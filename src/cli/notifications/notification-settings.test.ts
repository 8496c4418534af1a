import { expect, test } from "bun:test";
import { ConfigInvalidError, parseConfig } from "../config/config.ts";
import { nameOfWebhook, secretOf } from "./notification-settings.ts";

/** The problems of a webhook that differs like this from a good one. */
async function problemsOf(webhook: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const whole = { url: "https://example.com/hook", secret: "0123456789abcdef", ...webhook };
  try {
    await parseConfig(JSON.stringify({ notifications: { webhooks: [whole] } }), "/config.json");
    return [];
  } catch (error) {
    if (error instanceof ConfigInvalidError) return error.problems;
    throw error;
  }
}

const ONE_SECRET = "secret: write either secret or secretVariable, the variable that contains it";

test.each([
  { title: "a good one", webhook: {} },
  { title: "http to another machine that is allowed", webhook: { url: "http://example.com", allowHttp: true } },
  { title: "http to this machine by name", webhook: { url: "http://localhost:1/x" } },
  { title: "http to this machine by IPv6", webhook: { url: "http://[::1]:1/x" } },
  { title: "no URL", webhook: { url: "mail" }, problem: "url: it is not an http or https URL" },
  { title: "another protocol", webhook: { url: "ftp://example.com" }, problem: "url: it is not an http or https URL" },
  {
    title: "a login",
    webhook: { url: "https://me:word@example.com" },
    problem: "url: it contains a login; the signature replaces that",
  },
  {
    title: "http to another machine",
    webhook: { url: "http://127.0.0.1.example.com" },
    problem: "url: anybody on the way could read what is sent over http. Use https, or set allowHttp to true",
  },
  { title: "no secret", webhook: { secret: undefined }, problem: ONE_SECRET },
  { title: "two secrets", webhook: { secretVariable: "HOOK" }, problem: ONE_SECRET },
  {
    title: "a short secret",
    webhook: { secret: "short" },
    problem: "secret: it is shorter than 16 characters. Create one: openssl rand -hex 32",
  },
  {
    title: "a value in place of a variable's name",
    webhook: { secret: undefined, secretVariable: "$HOOK" },
    problem: "secretVariable: it is not the name of an environment variable",
  },
  {
    title: "an unknown event",
    webhook: { events: ["ended"] },
    problem: 'events[0]: "ended" is not possible. Possible: "waiting", "completed", "failed", "cancelled".',
  },
])("a webhook with $title", async ({ webhook, problem }) => {
  expect(await problemsOf(webhook)).toEqual(problem === undefined ? [] : [`notifications.webhooks[0].${problem}`]);
});

test("two webhooks with the same url are rejected", async () => {
  const webhook = { url: "https://example.com/hook", secret: "0123456789abcdef" };
  const error = await parseConfig(JSON.stringify({ notifications: { webhooks: [webhook, webhook] } }), "/c").catch(
    (thrown: unknown) => thrown,
  );
  expect(error instanceof ConfigInvalidError ? error.problems : error).toEqual([
    "notifications.webhooks[1].url: an earlier webhook has the same url",
  ]);
});

test("a webhook is named without its path, and its secret may come from the environment", () => {
  expect(nameOfWebhook({ url: "https://example.com/T0/B1/secret?x=1" })).toBe("https://example.com");
  expect(secretOf({ secretVariable: "HOOK" }, { HOOK: "value" })).toBe("value");
  expect(secretOf({ secretVariable: "HOOK" }, { HOOK: "" })).toBeUndefined();
  expect(secretOf({ secretVariable: "HOOK" }, {})).toBeUndefined();
});
