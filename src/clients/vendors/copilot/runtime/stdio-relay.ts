import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type Readable, Transform, type Writable } from "node:stream";
import { OWN_SECRET_PREFIX, recordOf, stringOf, toError } from "../../../../contracts/index.ts";
import { WholeMessages } from "./whole-messages.ts";

/** A port that connects one client, which must know the token, to a process's standard input and output. */
export interface StdioRelay {
  /** On 127.0.0.1; closed once the client has connected. */
  readonly port: number;
  /** What the first message must contain. Known only to this process. */
  readonly token: string;
  /** Ends the connection. Idempotent. */
  close(): void;
}

/** The input and the output of a process. */
export interface StdioStreams {
  readonly input: Writable;
  readonly output: Readable;
}

/** A client that sends more than this before the token is not the SDK. */
const MAX_GREETING_BYTES = 64 * 1024;

const HEADER_END = "\r\n\r\n";

/**
 * Connects the SDK, which reaches processes that it has not started only through a port, to a process that uses pipes. So
 * the process needs no secret in its environment, where every command that it runs could read it, and no port that others
 * could find. Output that is not a message ends the connection.
 */
export async function openStdioRelay(
  streams: StdioStreams,
  { serverToken }: { /** What the process itself asks for. */ readonly serverToken?: string | undefined } = {},
): Promise<StdioRelay> {
  const token = OWN_SECRET_PREFIX + randomBytes(24).toString("base64url");
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

/** Waits for the token; a client without it gets no answer. */
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

/** The tokens of the client and of the process. */
interface Tokens {
  readonly token: string;
  readonly serverToken: string | undefined;
}

/** The received data, with the process's own token in the first message: a process that uses pipes accepts none. */
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
  const forwarded = serverToken === undefined ? params : { ...params, token: serverToken };
  const body = Buffer.from(JSON.stringify({ ...message, params: forwarded }));
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
  // The starter of the process ends it, not the end of its input.
  socket.pipe(streams.input, { end: false });
  const messages = createMessageStream();
  // Calls that wait for an answer must fail.
  messages.once("error", () => {
    streams.output.destroy();
    socket.destroy();
  });
  streams.output.pipe(messages).pipe(socket);
  // A process blocks when nobody reads its output.
  socket.once("close", () => streams.output.unpipe(messages).resume());
}

/** Forwards whole messages, and fails on invalid data. */
function createMessageStream(): Transform {
  const messages = new WholeMessages();
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        for (const piece of messages.take(chunk)) this.push(piece);
        done();
      } catch (error) {
        done(toError(error));
      }
    },
  });
}
