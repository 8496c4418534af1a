import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DeliveryFailure, deliverOutbox, settleDelivery } from "./deliver-outbox.ts";
import { WEBHOOK_SECRET, WebhookReceiver } from "./fixtures/webhook-receiver.ts";
import { keyOfWebhook, type Webhook } from "./notification-settings.ts";
import { Outbox } from "./outbox.ts";

let folder: string;
let outbox: Outbox;
let receiver: WebhookReceiver;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-outbox-"));
  outbox = new Outbox(folder);
  receiver = new WebhookReceiver();
});
afterEach(async () => {
  await receiver.stop();
  await rm(folder, { recursive: true, force: true });
});

const webhook = (more: Partial<Webhook> = {}): Webhook => ({ url: receiver.url, secret: WEBHOOK_SECRET, ...more });

function add(id: string, at: number, webhooks: readonly Webhook[] = [webhook()]): void {
  const deliveries = Object.fromEntries(
    webhooks.map((one) => [keyOfWebhook(one), { state: "pending", attempts: 0, nextAt: 0 } as const]),
  );
  outbox.add({ id, at, recordedAt: Date.now(), body: JSON.stringify({ id }), deliveries });
}

async function deliver(webhooks: readonly Webhook[] = [webhook()], env: Record<string, string> = {}) {
  const failures: DeliveryFailure[] = [];
  const { signal } = new AbortController();
  const nextAt = await deliverOutbox({ outbox, webhooks, env, signal, onFailure: (one) => void failures.push(one) });
  return { failures, nextAt };
}

const received = (): readonly string[] => receiver.requests.map(({ notification }) => notification.id);

test("each notification is delivered once, in the order of the events, also when the clock was set back between them", async () => {
  add("a", 2);
  add("b", 1);
  expect(await deliver()).toEqual({ failures: [], nextAt: undefined });
  expect(await deliver()).toEqual({ failures: [], nextAt: undefined });
  expect(received()).toEqual(["a", "b"]);
});

test("a notification that is recorded a second time stays as it is, and no file is left", async () => {
  add("a", 1);
  await deliver();
  add("a", 1);
  await deliver();
  expect(received()).toEqual(["a"]);
  expect((await readdir(join(folder, "notifications"))).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("a webhook that fails is left alone until its pause is over; later notifications wait for the earlier one", async () => {
  add("a", 1);
  add("b", 2);
  receiver.answer = () => new Response("busy", { status: 503, headers: { "Retry-After": "60" } });
  const begun = Date.now();
  const { failures, nextAt = 0 } = await deliver();
  expect(failures).toEqual([{ name: new URL(receiver.url).origin, reason: "it answered 503", isFinal: false }]);
  expect(nextAt - begun).toBeGreaterThanOrEqual(60_000);
  expect(await deliver()).toEqual({ failures: [], nextAt });
  expect(received()).toEqual(["a"]);
});

test("a pause that began in the future, or ends too late, is over: somebody set the clock back", async () => {
  add("a", 1);
  receiver.answer = () => new Response("busy", { status: 503 });
  await deliver();
  const [record] = outbox.records();
  if (record === undefined) throw new Error("There is no record.");
  const key = keyOfWebhook(webhook());
  receiver.answer = () => new Response("");
  const pause = async (pauseMs: number, more: { readonly attemptedAt?: number } = {}): Promise<void> => {
    const nextAt = Date.now() + pauseMs;
    await outbox.update({ ...record, deliveries: { [key]: { state: "pending", attempts: 1, nextAt, ...more } } });
    await deliver();
  };
  await pause(86_000_000);
  expect(received()).toEqual(["a"]);
  await pause(86_500_000);
  expect(received()).toEqual(["a", "a"]);
  await pause(60_000, { attemptedAt: Date.now() + 50_000 });
  expect(received()).toEqual(["a", "a", "a"]);
});

test("an attempt that has no time to be answered counts, with a pause of a minute, and later ones do not begin", async () => {
  add("a", 1);
  add("b", 2);
  const stop = new AbortController();
  receiver.answer = () => {
    stop.abort(new Error("no time"));
    return new Promise<never>(() => undefined);
  };
  const failures: DeliveryFailure[] = [];
  const options = {
    outbox,
    webhooks: [webhook()],
    env: {},
    onFailure: (one: DeliveryFailure) => void failures.push(one),
  };
  const begun = Date.now();
  const nextAt = (await deliverOutbox({ ...options, signal: stop.signal })) ?? 0;
  expect(failures).toEqual([
    { name: new URL(receiver.url).origin, reason: "it did not answer in time", isFinal: false },
  ]);
  expect(nextAt - begun).toBeGreaterThanOrEqual(60_000);
  const [record] = outbox.records();
  expect(Object.values(record?.deliveries ?? {})).toMatchObject([{ state: "pending", attempts: 1, nextAt }]);
  expect(await deliver()).toEqual({ failures: [], nextAt });
  expect(received()).toEqual(["a"]);
});

test("a notification that the receiver rejects is not sent again, and the next one is", async () => {
  add("a", 1);
  add("b", 2);
  receiver.answer = ({ notification }) => new Response("", { status: notification.id === "a" ? 410 : 200 });
  expect((await deliver()).failures.map(({ isFinal }) => isFinal)).toEqual([true]);
  await deliver();
  expect(received()).toEqual(["a", "b"]);
});

test("several webhooks receive the same notification; one that fails does not hold up the other", async () => {
  const other = new WebhookReceiver();
  try {
    const webhooks = [webhook(), { url: other.url, secret: WEBHOOK_SECRET }];
    add("a", 1, webhooks);
    receiver.answer = () => new Response("", { status: 500 });
    expect((await deliver(webhooks)).failures).toHaveLength(1);
    expect([...other.byId.keys()]).toEqual(["a"]);
    const [record] = outbox.records();
    expect(Object.values(record?.deliveries ?? {}).map(({ state }) => state)).toEqual(["pending", "delivered"]);
  } finally {
    await other.stop();
  }
});

test("a webhook waits for a variable with a secret that nobody guesses", async () => {
  const byVariable: Webhook = { url: receiver.url, secretVariable: "HOOK" };
  add("a", 1, [byVariable]);
  expect((await deliver([byVariable])).failures.map(({ reason }) => reason)).toEqual([
    "the variable HOOK with its secret is not set",
  ]);
  add("b", 2, [byVariable]);
  const [first] = outbox.records();
  if (first !== undefined) await outbox.update({ ...first, deliveries: {} });
  expect((await deliver([byVariable], { HOOK: "0123456789abcde" })).failures.map(({ reason }) => reason)).toEqual([
    "the variable HOOK with its secret is shorter than 16 characters. Create one: openssl rand -hex 32",
  ]);
  expect(received()).toEqual([]);
});

test("two processes that deliver at the same time deliver once", async () => {
  add("a", 1);
  const { promise, resolve } = Promise.withResolvers<Response>();
  const arrived = Promise.withResolvers<void>();
  receiver.answer = () => {
    arrived.resolve();
    return promise;
  };
  const first = deliver();
  await arrived.promise;
  expect(await deliver()).toEqual({ failures: [], nextAt: undefined });
  resolve(new Response());
  await first;
  expect(received()).toEqual(["a"]);
});

test("each pause is twice as long, up to an hour, and after a week there is no other attempt", () => {
  const pauses = [0, 1, 2, 11, 12, 40].map((attempts) => {
    const failed = { type: "failed", reason: "it answered 500" } as const;
    return (
      settleDelivery({ state: "pending", attempts, nextAt: 0 }, failed, { recordedAt: 0, now: 1_000 }).nextAt - 1_000
    );
  });
  expect(pauses).toEqual([1_000, 2_000, 4_000, 2_048_000, 3_600_000, 3_600_000]);
  const late = { recordedAt: 0, now: 8 * 86_400_000 };
  expect(settleDelivery({ state: "pending", attempts: 9, nextAt: 0 }, { type: "failed", reason: "" }, late).state).toBe(
    "rejected",
  );
});

test.each([
  { title: "a named pipe", make: (path: string) => execFileSync("mkfifo", [path]) },
  { title: "a folder", make: (path: string) => mkdir(path) },
  { title: "a device", make: (path: string) => symlink("/dev/zero", path) },
])("a state file that is $title ends the call with an error that names it", async ({ make }) => {
  const path = join(folder, "notifications", "state.json");
  await mkdir(join(folder, "notifications"));
  await make(path);
  expect(() => outbox.state()).toThrow(`${path} is not a regular file. Replace it with a file of text, or remove it.`);
});
