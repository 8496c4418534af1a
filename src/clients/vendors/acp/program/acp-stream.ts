import type { Readable, Writable } from "node:stream";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { isRecord, type UnknownRecord } from "../../../../contracts/index.ts";

/** A notification from the agent. */
export interface AcpNotification {
  readonly method: string;
  readonly params: unknown;
}

/** Settings of {@link createAcpStream}. */
export interface AcpStreamOptions {
  /** The agent's standard input. */
  readonly input: Writable;
  /** The agent's standard output. */
  readonly output: Readable;
  /** Receives each notification, other than the protocol's own, before later messages are handled. Must not throw. */
  readonly onNotification: (notification: AcpNotification) => void;
}

/** The maximum length of an agent's line, in characters. A longer line ends the stream. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;

/**
 * The messages on an agent's standard input and output, one per line, in the form that the SDK's connection expects.
 *
 * 1. Lines that are not JSON-RPC messages are dropped: some programs print other text to standard output.
 * 2. Notifications bypass the SDK and go to `onNotification`: the SDK may deliver the answer to a prompt before the
 *    updates that preceded it. The SDK handles those of the protocol itself (`$/cancel_request`).
 * 3. Answers to unknown or already answered requests are dropped.
 */
export function createAcpStream({ input, output, onNotification }: AcpStreamOptions): Stream {
  const open = new Set<unknown>();
  let isReading = true;
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      readLines(output, {
        onLine: (line) => {
          const message = parseMessage(line);
          if (message === undefined || !isReading) return;
          if (isNotification(message)) onNotification(message);
          // The cast is true as far as the SDK relies on it: it checks each message itself.
          else if ("method" in message || open.delete(message.id)) controller.enqueue(message as AnyMessage);
        },
        onEnd: () => {
          if (isReading) controller.close();
        },
      });
    },
    cancel() {
      isReading = false; // Further output is read and dropped, because an unread pipe would block the agent.
    },
  });
  const writable = new WritableStream<AnyMessage>({
    write: (message) => {
      if ("method" in message && "id" in message) open.add(message.id);
      // The process has ended, which its connection reports.
      return new Promise<void>((resolve) => input.write(`${JSON.stringify(message)}\n`, () => resolve()));
    },
  });
  return { readable, writable };
}

/** Splits at line feeds only: JSON may contain Unicode's line separators unescaped. */
function readLines(
  output: Readable,
  { onLine, onEnd }: { readonly onLine: (line: string) => void; readonly onEnd: () => void },
): void {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  let hasEnded = false;
  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    onEnd();
  };
  output.on("data", (chunk: Buffer) => {
    if (hasEnded) return;
    const [first = "", ...rest] = decoder.decode(chunk, { stream: true }).split("\n");
    pieces.push(first);
    length += first.length;
    for (const next of rest) {
      onLine(pieces.join(""));
      pieces = [next];
      length = next.length;
    }
    if (length > MAX_LINE_LENGTH) end();
  });
  output.once("end", end).once("close", end).once("error", end);
}

function parseMessage(line: string): UnknownRecord | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  try {
    const message: unknown = JSON.parse(line);
    return isRecord(message) && message.jsonrpc === "2.0" ? message : undefined;
  } catch {
    return undefined;
  }
}

function isNotification(message: UnknownRecord): message is UnknownRecord & AcpNotification {
  return typeof message.method === "string" && !message.method.startsWith("$/") && !("id" in message);
}
