import { DELIVERY_HEADER, SIGNATURE_HEADER, signWebhook } from "../../workflows/index.ts";
import { VERSION } from "../version.ts";

/** How long a receiver may take to answer, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** A receiver may postpone the next attempt by a day at most. */
export const MAX_RETRY_AFTER_MS = 86_400_000;

/** One attempt to deliver a notification. */
export interface SendWebhookOptions {
  readonly url: string;
  readonly secret: string;
  /** The id of the notification. */
  readonly id: string;
  readonly body: string;
  readonly signal: AbortSignal;
  /** @default 10_000 */
  readonly timeoutMs?: number;
}

/** How an attempt ended: `rejected` when another one would end in the same way. */
export type SendOutcome =
  | { readonly type: "delivered" }
  | {
      readonly type: "failed";
      readonly reason: string;
      readonly retryAfterMs?: number;
      /** It cost the whole time that an attempt may take. */
      readonly isUnanswered?: true;
    }
  | { readonly type: "rejected"; readonly reason: string };

/** Sends a notification to a webhook, signed at this moment. @throws the signal's reason, and nothing else */
export async function sendWebhook(options: SendWebhookOptions): Promise<SendOutcome> {
  const { url, secret, id, body, signal, timeoutMs = TIMEOUT_MS } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      headers: {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": `atomic/${VERSION}`,
        [DELIVERY_HEADER]: id,
        [SIGNATURE_HEADER]: signWebhook({ body, secret, at: Date.now() }),
      },
      // A redirect would send the text to an address that the user has not named.
      redirect: "manual",
      signal: AbortSignal.any([signal, timeout]),
    });
    // Nobody reads the answer, which may be endless.
    await response.body?.cancel();
    return judge(response);
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) {
      return { type: "failed", reason: `it did not answer within ${timeoutMs / 1_000} seconds`, isUnanswered: true };
    }
    return { type: "failed", reason: `it cannot be reached (${codeOf(error)})` };
  }
}

/** Only too early and too many requests, and errors of the server, can be different the next time. */
function judge({ status, headers }: Response): SendOutcome {
  if (status >= 200 && status < 300) return { type: "delivered" };
  if (status >= 300 && status < 400) {
    return {
      type: "rejected",
      reason: `it answered ${status}, a redirect, which Atomic does not follow: correct the url`,
    };
  }
  const reason = `it answered ${status}`;
  if (status >= 400 && status < 500 && status !== 408 && status !== 429) return { type: "rejected", reason };
  const retryAfterMs = parseRetryAfter(headers.get("Retry-After"), Date.now());
  return { type: "failed", reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** The header `Retry-After`, seconds or a date, in milliseconds from now. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const delayMs = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(delayMs) ? undefined : Math.min(Math.max(0, delayMs), MAX_RETRY_AFTER_MS);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "network error";
}
