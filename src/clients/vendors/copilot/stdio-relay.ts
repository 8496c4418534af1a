import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type Readable, Transform, type Writable } from "node:stream";
import { recordOf, stringOf } from "../../../contracts/index.ts";
import { WholeMessages } from "./whole-messages.ts";

/** A place where one client, the one that knows the token, is connected to a process's standard input and output. */
export interface StdioRelay {
  /** On 127.0.0.1; nobody listens there any more once the client has come. */
  readonly port: number;
  /** What the first message has to hold. It is known to this process only. */
  readonly token: string;
  /** Ends the connection. Idempotent. */
  close(): void;
}

/** The input and the output of a process. */
export interface StdioStreams {
  readonly input: Writable;
  readonly output: Readable;
}

/** More than that comes before the token only from somebody else. */
const MAX_GREETING_BYTES = 64 * 1024;

const HEADER_END = "\r\n\r\n";

/**
 * Leads the SDK, which connects to processes it has not started by a port only, to a process that is spoken to through
 * pipes. So the process needs no secret in its environment, where every command it runs could read it, and no port that
 * others could find. What the process says ends the connection where it is no message.
 */
export async function openStdioRelay(
  streams: StdioStreams,
  { serverToken }: { /** What the process itself asks for. */ readonly serverToken?: string | undefined } = {},
): Promise<StdioRelay> {
  const token = randomBytes(24).toString("base64url");
  const server = createServer({ noDelay: true });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
    greet(socket, { token, serverToken, onClient: (greeting) => lead(socket, { server, sockets, streams, greeting }) });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server on a port has such an address.
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port, token, close };
}

/** Waits for the token; whoever does not have it is not answered. */
function greet(
  socket: Socket,
  { onClient, ...tokens }: Tokens & { readonly onClient: (greeting: Buffer) => void },
): void {
  let received: Buffer = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    received = Buffer.concat([received, chunk]);
    const greeting = withServerToken(received, tokens);
    if (greeting === "unfinished" && received.length <= MAX_GREETING_BYTES) return;
    socket.off("data", onData);
    if (Buffer.isBuffer(greeting)) onClient(greeting);
    else socket.destroy();
  };
  socket.on("data", onData);
}

/** What the client has to know, and what the process. */
interface Tokens {
  readonly token: string;
  readonly serverToken: string | undefined;
}

/** What was received, with the process's own token in its first message: one that speaks through pipes accepts none. */
function withServerToken(received: Buffer, { token, serverToken }: Tokens): Buffer | "unfinished" | "foreign" {
  const separator = received.indexOf(HEADER_END);
  if (separator === -1) return "unfinished";
  const length = Number(/content-length:\s*(\d+)/i.exec(received.toString("latin1", 0, separator))?.[1]);
  const start = separator + HEADER_END.length;
  if (Number.isNaN(length)) return "foreign";
  if (received.length < start + length) return "unfinished";
  const message = recordOf(parseJson(received.toString("utf8", start, start + length)));
  const { token: given, ...params } = recordOf(message.params);
  if (!isSameText(stringOf(given), token)) return "foreign";
  const told = serverToken === undefined ? params : { ...params, token: serverToken };
  const body = Buffer.from(JSON.stringify({ ...message, params: told }));
  const rest = received.subarray(start + length);
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}${HEADER_END}`), body, rest]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSameText(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function lead(
  socket: Socket,
  client: {
    readonly server: Server;
    readonly sockets: ReadonlySet<Socket>;
    readonly streams: StdioStreams;
    readonly greeting: Buffer;
  },
): void {
  const { server, sockets, streams, greeting } = client;
  server.close();
  for (const other of sockets) if (other !== socket) other.destroy();
  streams.input.write(greeting);
  // The process is ended by who started it, not by the end of its input.
  socket.pipe(streams.input, { end: false });
  const messages = createMessageStream();
  // Who waits for an answer hears of the end.
  messages.once("error", () => {
    streams.output.destroy();
    socket.destroy();
  });
  streams.output.pipe(messages).pipe(socket);
  // A process whose output nobody reads would block.
  socket.once("close", () => streams.output.unpipe(messages).resume());
}

/** Passes whole messages on, and fails at what is none. */
function createMessageStream(): Transform {
  const messages = new WholeMessages();
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        for (const piece of messages.take(chunk)) this.push(piece);
        done();
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  });
}
