import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { OWN_SECRET_PREFIX, withResolvers } from "../../contracts/index.ts";

/** Answers one hook. For the caller, a rejection is a failed call. */
export type HookHandler = (body: unknown) => Promise<unknown>;

/** The largest call, in bytes: more than any tool receives. */
export const MAX_HOOK_BODY_BYTES = 64_000_000;

/** Hooks by their names. */
export type Hooks = Readonly<Record<string, HookHandler>>;

/** Hooks that can be called. */
export interface OpenedHooks {
  /** The token that reaches these hooks and no others. */
  readonly token: string;
  /** Ends all calls of these hooks and rejects later ones. Idempotent. */
  close(): void;
}

/** Where programs on this machine call back, each with its own token. */
export interface HookHost {
  /** The base address of the hooks. */
  readonly url: string;
  readonly port: number;
  open(hooks: Hooks): OpenedHooks;
  /** Ends all calls and stops listening. Idempotent. */
  stop(): Promise<void>;
}

/** Where one program on this machine calls back. */
export interface HookServer {
  /** The base address of the hooks. */
  readonly url: string;
  readonly token: string;
  /** Ends all calls and stops listening. Idempotent. */
  stop(): Promise<void>;
}

/** Settings of {@link startHookServer}. */
export interface HookServerOptions {
  /** How long receiving a call may take, in milliseconds. The answer has no time limit. @default 30_000 */
  readonly receiveTimeoutMs?: number;
}

/** A call that reaches no hook. */
class RejectedCall extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Open hooks and their calls in progress. */
interface Entry {
  readonly hooks: Hooks;
  readonly tokenHash: Buffer;
  readonly calls: Set<ServerResponse>;
}

/**
 * Listens on 127.0.0.1 for calls to `<url>/<name of a hook>`: POST requests with a JSON body and the token of the hooks,
 * from a program, not from a web page. Answers in JSON. Any other request reaches no hook: 401 for a wrong token, 403 for
 * another host name or an origin, 404, 405, 408, 413 and 415 as defined by HTTP; 500 if the body is not JSON, or the
 * handler fails.
 */
export async function startHookHost({ receiveTimeoutMs = 30_000 }: HookServerOptions = {}): Promise<HookHost> {
  const entries = new Set<Entry>();
  const server = createServer((request, response) => {
    answer(request, response, { entries, receiveTimeoutMs }).catch(() => response.destroy());
  });
  // A handler may wait for a person: only the caller ends a call that was received.
  server.requestTimeout = 0;
  server.headersTimeout = receiveTimeoutMs;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The hook server has no port.");
  const { port } = address;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    open: (hooks) => openHooks(hooks, entries),
    stop: () => stopServer(server),
  };
}

/** Listens as {@link startHookHost} does, for the hooks of one program. */
export async function startHookServer(hooks: Hooks, options: HookServerOptions = {}): Promise<HookServer> {
  const host = await startHookHost(options);
  return { url: host.url, token: host.open(hooks).token, stop: host.stop };
}

function openHooks(hooks: Hooks, entries: Set<Entry>): OpenedHooks {
  const token = OWN_SECRET_PREFIX + randomBytes(32).toString("base64url");
  const entry: Entry = { hooks, tokenHash: hashOf(`Bearer ${token}`), calls: new Set() };
  entries.add(entry);
  const close = (): void => {
    entries.delete(entry);
    for (const call of entry.calls) call.destroy();
  };
  return { token, close };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { entries, receiveTimeoutMs }: { readonly entries: ReadonlySet<Entry>; readonly receiveTimeoutMs: number },
): Promise<void> {
  let entry: Entry | undefined;
  try {
    entry = findEntry(request, entries);
    entry.calls.add(response);
    const handler = findHandler(request, entry.hooks);
    const text = await receive(request, receiveTimeoutMs);
    // Its hooks have been closed.
    if (response.destroyed) return;
    reply(response, { status: 200, body: (await handler(JSON.parse(text))) ?? {} });
  } catch (error) {
    const isRejected = error instanceof RejectedCall;
    // The rest of the call is not awaited.
    if (isRejected) response.setHeader("connection", "close");
    reply(response, {
      status: isRejected ? error.status : 500,
      body: { error: isRejected ? error.message : String(error) },
    });
  } finally {
    entry?.calls.delete(response);
  }
}

/** The hooks that a call addresses. @throws RejectedCall */
function findEntry({ headers }: IncomingMessage, entries: ReadonlySet<Entry>): Entry {
  // A web page whose name was redirected to this machine sends that name.
  if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(headers.host ?? "") || headers.origin !== undefined) {
    throw new RejectedCall(403, "Only programs on this machine may call.");
  }
  const shown = hashOf(headers.authorization ?? "");
  const entry = [...entries].find(({ tokenHash }) => timingSafeEqual(shown, tokenHash));
  if (entry === undefined) throw new RejectedCall(401, "The token is missing or wrong.");
  return entry;
}

/** @throws RejectedCall */
function findHandler({ headers, method, url = "" }: IncomingMessage, hooks: Hooks): HookHandler {
  if (method !== "POST") throw new RejectedCall(405, "A hook is called with POST.");
  const name = url.slice(1);
  const handler = url.startsWith("/") && Object.hasOwn(hooks, name) ? hooks[name] : undefined;
  if (handler === undefined) throw new RejectedCall(404, "No such hook.");
  if (!/^application\/json(?:;|$)/i.test(headers["content-type"] ?? "")) {
    throw new RejectedCall(415, "A hook takes JSON.");
  }
  return handler;
}

/** The body of a call. @throws RejectedCall for one that is too large, or too slow */
async function receive(request: IncomingMessage, timeoutMs: number): Promise<string> {
  const { promise: isLate, reject } = withResolvers<never>();
  const timer = setTimeout(() => reject(new RejectedCall(408, "The call took too long.")), timeoutMs);
  const chunks: Buffer[] = [];
  let size = 0;
  const read = async (): Promise<string> => {
    for await (const chunk of request) {
      const bytes = Buffer.from(chunk);
      size += bytes.length;
      if (size > MAX_HOOK_BODY_BYTES) throw new RejectedCall(413, "The call is too large.");
      chunks.push(bytes);
    }
    return Buffer.concat(chunks).toString("utf8");
  };
  try {
    return await Promise.race([read(), isLate]);
  } finally {
    clearTimeout(timer);
  }
}

function reply(response: ServerResponse, { status, body }: { readonly status: number; readonly body: unknown }): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function stopServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Hashes have equal length, which the comparison requires. */
function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
