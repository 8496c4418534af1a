import { findSecret, keyOfWebhook, nameOfWebhook, type Webhook } from "./notification-settings.ts";
import type { Delivery, Outbox, OutboxRecord } from "./outbox.ts";
import { MAX_RETRY_AFTER_MS, type SendOutcome, type SendWebhookOptions, sendWebhook } from "./send-webhook.ts";

const FIRST_DELAY_MS = 1_000;
/** A webhook that does not answer must not hold up each call about the run. */
const FIRST_UNANSWERED_DELAY_MS = 60_000;
const MAX_DELAY_MS = 3_600_000;

/** After this time, an undelivered notification is no longer news. */
const MAX_AGE_MS = 7 * 86_400_000;

/** What {@link deliverOutbox} works with. */
export interface DeliverOptions {
  readonly outbox: Outbox;
  readonly webhooks: readonly Webhook[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the attempts in progress, which count as failed, and starts no more. */
  readonly signal: AbortSignal;
  /** Called for each attempt that failed. */
  readonly onFailure: (failure: DeliveryFailure) => void;
}

/** An attempt that failed. */
export interface DeliveryFailure {
  /** The webhook, as people may see it. */
  readonly name: string;
  readonly reason: string;
  /** Whether there will be no other attempt. */
  readonly isFinal: boolean;
}

/**
 * Makes one attempt for each notification that is due, to each webhook in the order of the events: a webhook that fails
 * gets no later one in the same call. Returns when the next attempt is due, in milliseconds since 1970; undefined when all
 * is delivered, or another process delivers.
 *
 * @throws errors of the file system
 */
export async function deliverOutbox(options: DeliverOptions): Promise<number | undefined> {
  const { outbox, webhooks } = options;
  if (!outbox.records().some((record) => webhooks.some((webhook) => isPending(record, webhook)))) return undefined;
  let next = Number.POSITIVE_INFINITY;
  await outbox.withLock(async () => {
    const records = new Records(outbox);
    const times = await Promise.all(webhooks.map((webhook) => deliverTo(webhook, records, options)));
    next = Math.min(...times);
  });
  return next === Number.POSITIVE_INFINITY ? undefined : next;
}

/** The records while this process delivers. Webhooks that are served at the same time change the same record. */
class Records {
  readonly #outbox: Outbox;
  readonly #byId: Map<string, OutboxRecord>;
  #saving: Promise<unknown> = Promise.resolve();

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
    this.#byId = new Map(outbox.records().map((record) => [record.id, record]));
  }

  all(): readonly OutboxRecord[] {
    return [...this.#byId.values()];
  }

  async save(id: string, key: string, delivery: Delivery): Promise<void> {
    const saved = this.#saving.then(async () => {
      const record = this.#byId.get(id);
      if (record === undefined) return;
      const changed = { ...record, deliveries: { ...record.deliveries, [key]: delivery } };
      this.#byId.set(id, changed);
      await this.#outbox.update(changed);
    });
    this.#saving = saved.catch(() => undefined);
    await saved;
  }
}

function isPending({ deliveries }: OutboxRecord, webhook: Webhook): boolean {
  return deliveries[keyOfWebhook(webhook)]?.state === "pending";
}

/** @returns when the next attempt is due */
async function deliverTo(webhook: Webhook, records: Records, options: DeliverOptions): Promise<number> {
  const { env, signal, onFailure } = options;
  const key = keyOfWebhook(webhook);
  for (const { id, body, recordedAt, deliveries } of records.all()) {
    const delivery = deliveries[key];
    if (delivery?.state !== "pending") continue;
    const now = Date.now();
    if (isPaused(delivery, now)) return delivery.nextAt;
    // The webhook must not end the call while another one's attempt is recorded.
    if (signal.aborted) return Date.now();
    const found = findSecret(webhook, env);
    const outcome: SendOutcome =
      found.type === "unusable"
        ? { type: "failed", reason: found.reason }
        : await sendInTime({ url: webhook.url, secret: found.secret, id, body, signal });
    const after = settleDelivery(delivery, outcome, { recordedAt, now: Date.now() });
    await records.save(id, key, after);
    if (outcome.type === "delivered") continue;
    onFailure({ name: nameOfWebhook(webhook), reason: outcome.reason, isFinal: after.state === "rejected" });
    if (after.state === "pending") return after.nextAt;
  }
  return Number.POSITIVE_INFINITY;
}

/** Whether the pause after an attempt is not over. Of one that began before somebody set the clock back, nobody knows: it is over. */
function isPaused({ nextAt, attemptedAt = 0 }: Delivery, now: number): boolean {
  return nextAt > now && attemptedAt <= now && nextAt - now <= MAX_RETRY_AFTER_MS;
}

/** One attempt. When the caller has no more time, the webhook did not answer. */
async function sendInTime(options: SendWebhookOptions): Promise<SendOutcome> {
  try {
    return await sendWebhook(options);
  } catch (error) {
    if (!options.signal.aborted) throw error;
    return { type: "failed", reason: "it did not answer in time", isUnanswered: true };
  }
}

/** The state of a delivery after an attempt: each pause is twice as long as the one before, up to an hour. */
export function settleDelivery(
  { attempts }: Delivery,
  outcome: SendOutcome,
  { recordedAt, now }: { readonly recordedAt: number; readonly now: number },
): Delivery {
  if (outcome.type === "delivered") return { state: "delivered", attempts, nextAt: now };
  const isFinal = outcome.type === "rejected" || now - recordedAt > MAX_AGE_MS;
  if (isFinal) return { state: "rejected", attempts: attempts + 1, nextAt: now };
  const firstDelayMs = outcome.isUnanswered ? FIRST_UNANSWERED_DELAY_MS : FIRST_DELAY_MS;
  const delayMs = Math.min(firstDelayMs * 2 ** attempts, MAX_DELAY_MS);
  return {
    state: "pending",
    attempts: attempts + 1,
    nextAt: now + Math.max(delayMs, outcome.retryAfterMs ?? 0),
    attemptedAt: now,
  };
}

/** One line for each webhook whose last attempt failed, with what happens next. */
export function describeFailures(failures: readonly DeliveryFailure[]): readonly string[] {
  const last = new Map(failures.map((failure) => [failure.name, failure]));
  return [...last.values()].map(({ name, reason, isFinal }) => {
    const next = isFinal
      ? "It is not sent again. Look at the settings: atomic notify test"
      : "What was not delivered is sent again by the next call about the run, and by: atomic runs due";
    return `The webhook ${name} did not take a notification: ${reason}. ${next}`;
  });
}
