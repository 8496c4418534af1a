import { createHmac, timingSafeEqual } from "node:crypto";
import { AtomicError } from "../../contracts/index.ts";
import type { RunNotification } from "./notification.ts";

/** The header with the signature of a webhook's body: `t=<seconds since 1970>,v1=<HMAC-SHA256 in hex>`. */
export const SIGNATURE_HEADER = "X-Atomic-Signature";

/** The header with the id of a notification, the same as in its body. */
export const DELIVERY_HEADER = "X-Atomic-Delivery";

const DEFAULT_TOLERANCE_MS = 300_000;
const HEADER = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/;

/** A request does not come from the owner of the secret, or not now. */
export class WebhookInvalidError extends AtomicError {
  constructor(
    readonly reason: "missing" | "malformed" | "expired" | "mismatch" | "not-json",
    message: string,
  ) {
    super("WEBHOOK_INVALID", message);
  }
}

/** What {@link signWebhook} signs. */
export interface SignWebhookOptions {
  readonly body: string;
  readonly secret: string;
  /** The time of the delivery, in milliseconds since 1970. */
  readonly at: number;
}

/** The value of the header `X-Atomic-Signature` for a body. */
export function signWebhook({ body, secret, at }: SignWebhookOptions): string {
  const seconds = Math.floor(at / 1_000);
  return `t=${seconds},v1=${signatureOf({ seconds: String(seconds), body, secret }).toString("hex")}`;
}

/** What {@link verifyWebhook} checks. */
export interface VerifyWebhookOptions {
  /** The body as it arrived, before any parsing. */
  readonly body: string | Uint8Array;
  /** The value of the header `X-Atomic-Signature`. */
  readonly header: string | null | undefined;
  readonly secret: string;
  /** How old a signature may be, and how far ahead the sender's clock, in milliseconds. @default 300_000 */
  readonly toleranceMs?: number;
  /** The current time, in milliseconds since 1970. @default Date.now() */
  readonly now?: number;
}

/**
 * The notification in a webhook's body, once its signature is verified in constant time.
 *
 * @example
 * const notification = verifyWebhook({ body, header: request.headers.get("X-Atomic-Signature"), secret });
 * if (!seen.has(notification.id)) show(notification);
 *
 * @throws WebhookInvalidError
 */
export function verifyWebhook(options: VerifyWebhookOptions): RunNotification {
  const { body, header, secret, toleranceMs = DEFAULT_TOLERANCE_MS, now = Date.now() } = options;
  if (secret === "") throw new WebhookInvalidError("mismatch", "The secret is empty: anybody could have signed this.");
  if (header === null || header === undefined || header === "") {
    throw new WebhookInvalidError("missing", `The request has no header ${SIGNATURE_HEADER}.`);
  }
  const [, seconds, signature] = HEADER.exec(header) ?? [];
  if (seconds === undefined || signature === undefined) {
    throw new WebhookInvalidError("malformed", `The header ${SIGNATURE_HEADER} is not of the form "t=…,v1=…".`);
  }
  if (!timingSafeEqual(Buffer.from(signature, "hex"), signatureOf({ seconds, body, secret }))) {
    throw new WebhookInvalidError("mismatch", "The signature does not match the body. Compare the secrets.");
  }
  // NaN accepts nothing.
  if (!(Math.abs(now - Number(seconds) * 1_000) <= toleranceMs)) {
    throw new WebhookInvalidError("expired", "The signature is too old, or the clocks differ.");
  }
  return parseBody(typeof body === "string" ? body : new TextDecoder().decode(body));
}

function signatureOf(signed: {
  readonly seconds: string;
  readonly body: string | Uint8Array;
  readonly secret: string;
}) {
  return createHmac("sha256", signed.secret).update(`${signed.seconds}.`).update(signed.body).digest();
}

function parseBody(text: string): RunNotification {
  try {
    // The cast is true for what the owner of the secret signs.
    return JSON.parse(text) as RunNotification;
  } catch {
    throw new WebhookInvalidError("not-json", "The signature matches, but the body is not JSON.");
  }
}
