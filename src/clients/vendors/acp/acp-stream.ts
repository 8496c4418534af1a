import type { Readable, Writable } from "node:stream";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { isRecord, type UnknownRecord } from "../../../contracts/index.ts";

/** A notification of the agent's. */
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
  /** Hears the agent's notifications but those of the protocol itself, each before anything that follows it on the wire is answered. Must not throw. */
  readonly onNotification: (notification: AcpNotification) => void;
}

/** The longest line that is taken from an agent, in characters; a longer one ends the stream. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;

/**
 * The messages on an agent's standard input and output, a line each, as the SDK's connection takes them.
 *
 * 1. Lines that are no JSON-RPC message (programs print to standard output what they should not) are dropped; nobody
 *    could do anything about them.
 * 2. Notifications do not go through the SDK but straight to `onNotification`: the SDK may hand the answer to a prompt on
 *    before the updates that preceded it. Those of the protocol itself (`$/cancel_request`) are the SDK's affair.
 * 3. An answer to a question that nobody asked, or that was answered already, is dropped.
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
      isReading = false; // What still comes is read, lest the agent block, and dropped.
    },
  });
  const writable = new WritableStream<AnyMessage>({
    write: (message) => {
      if ("method" in message && "id" in message) open.add(message.id);
      // What cannot be written is lost with the process, whose end is told elsewhere.
      return new Promise<void>((resolve) => input.write(`${JSON.stringify(message)}\n`, () => resolve()));
    },
  });
  return { readable, writable };
}

/** Splits at line feeds only: the line separators of Unicode may stand in a JSON text as they are. */
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
