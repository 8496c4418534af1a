import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { encodeBody, encodeStream } from "./encode-answer.ts";
import { encodeError } from "./encode-error.ts";
import { type AnswerIdentity, createAnswer } from "./model-answer.ts";
import type { ModelReply } from "./model-reply.ts";
import type { ModelRequest } from "./model-request.ts";
import { type StreamFrame, unfinishedFrames } from "./stream-frame.ts";

/** Bytes that neither JSON nor an event stream can hold, for `garbage`; 0xFF is not even UTF-8. */
const GARBAGE = Buffer.concat([
  Buffer.from('data: {"broken": <html>\n\n'),
  Buffer.from([0xff, 0x00]),
  Buffer.from("\n\n"),
]);

/**
 * How long a connection stays open after the text of a `reset`, in milliseconds. Some clients, Bun's `fetch` among
 * them, discard unread data when the connection breaks, and the agent must see the text.
 */
const RESET_GRACE_MS = 50;

/** Where a reply goes. */
export interface ReplyTarget {
  readonly response: ServerResponse;
  /** Aborted when either side closes the connection. */
  readonly closed: AbortSignal;
}

/** A reply in wire format: from here on, only the connection can fail. */
export type Transmission =
  | {
      readonly type: "whole";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string | Buffer;
      readonly delayMs: number;
    }
  | {
      readonly type: "stream";
      readonly frames: readonly StreamFrame[];
      readonly delayMs: number;
      readonly deltaDelayMs: number;
    }
  /** The start of an answer, after which the connection breaks or falls silent. */
  | {
      readonly type: "beginning";
      readonly bytes: string;
      readonly contentType: string;
      readonly ending: "reset" | "stall";
    }
  | { readonly type: "disconnect" };

/** Translates a reply. Throws when JSON cannot represent it. */
export function createTransmission(reply: ModelReply, request: ModelRequest, identity: AnswerIdentity): Transmission {
  switch (reply.type) {
    case "message": {
      const { delayMs = 0, deltaDelayMs = 0 } = reply;
      const answer = createAnswer(reply, request, identity);
      if (request.isStreaming) return { type: "stream", frames: encodeStream(request, answer), delayMs, deltaDelayMs };
      return { ...wholeJson(200, encodeBody(request, answer)), delayMs };
    }
    case "error": {
      const whole = wholeJson(reply.status, encodeError(request.protocol, reply.status, reply.message));
      return { ...whole, headers: { ...whole.headers, ...reply.headers } };
    }
    case "reset":
      if (reply.afterText === undefined) return { type: "disconnect" };
      return createBeginning(reply.afterText, request, { identity, ending: "reset" });
    case "garbage":
      return {
        type: "whole",
        status: 200,
        headers: { "content-type": contentType(request) },
        body: GARBAGE,
        delayMs: 0,
      };
    case "stall":
      return createBeginning(reply.afterText ?? "", request, { identity, ending: "stall" });
  }
}

/** Puts a transmission on the wire. Resolves when its last byte is handed over or the connection is closed. */
export async function sendTransmission(transmission: Transmission, target: ReplyTarget): Promise<void> {
  const { response, closed } = target;
  switch (transmission.type) {
    case "whole":
      if (!(await pause(transmission.delayMs, closed))) return;
      response.writeHead(transmission.status, transmission.headers).end(transmission.body);
      return;
    case "stream":
      return sendStream(transmission, target);
    case "beginning":
      response.writeHead(200, { "content-type": transmission.contentType });
      response.flushHeaders();
      await write(transmission.bytes, target);
      if (transmission.ending === "reset" && (await pause(RESET_GRACE_MS, closed))) response.socket?.destroy();
      return;
    case "disconnect":
      response.socket?.destroy();
      return;
  }
}

async function sendStream(stream: Extract<Transmission, { type: "stream" }>, target: ReplyTarget): Promise<void> {
  const { response, closed } = target;
  if (!(await pause(stream.delayMs, closed))) return;
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  let hasDelta = false;
  for (const frame of stream.frames) {
    if (frame.phase === "delta") {
      if (hasDelta && !(await pause(stream.deltaDelayMs, closed))) return;
      hasDelta = true;
    }
    await write(frame.bytes, target);
    if (closed.aborted) return;
  }
  response.end();
}

function wholeJson(status: number, body: object): Extract<Transmission, { type: "whole" }> {
  return {
    type: "whole",
    status,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    delayMs: 0,
  };
}

function createBeginning(
  text: string,
  request: ModelRequest,
  options: { readonly identity: AnswerIdentity; readonly ending: "reset" | "stall" },
): Transmission {
  const answer = createAnswer({ type: "message", text }, request, options.identity);
  const bytes = request.isStreaming
    ? unfinishedFrames(encodeStream(request, answer))
        .map((frame) => frame.bytes)
        .join("")
    : cutAfter(JSON.stringify(encodeBody(request, answer)), text);
  return { type: "beginning", bytes, contentType: contentType(request), ending: options.ending };
}

/** The beginning of a JSON document up to the end of a text in it; nothing when the text is empty. */
function cutAfter(json: string, text: string): string {
  const encoded = JSON.stringify(text).slice(1, -1);
  return encoded === "" ? "" : json.slice(0, json.indexOf(encoded) + encoded.length);
}

function contentType(request: ModelRequest): string {
  return request.isStreaming ? "text/event-stream" : "application/json";
}

/** Waits; false when the connection closed meanwhile. */
async function pause(durationMs: number, closed: AbortSignal): Promise<boolean> {
  if (durationMs > 0) await sleep(durationMs, undefined, { signal: closed }).catch(() => undefined);
  return !closed.aborted;
}

/** Resolves once the bytes have left for the socket, so that a reset cannot overtake them. */
function write(bytes: string, { response, closed }: ReplyTarget): Promise<void> {
  if (closed.aborted || bytes === "") return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      closed.removeEventListener("abort", finish);
      resolve();
    };
    closed.addEventListener("abort", finish);
    response.write(bytes, finish);
  });
}
