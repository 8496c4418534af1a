import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

/** Answers one hook. What it rejects with is a failed call to the caller. */
export type HookHandler = (body: unknown) => Promise<unknown>;

/** So much a call may bring: more than any tool is given. */
export const MAX_HOOK_BODY_BYTES = 64_000_000;

/** Hooks by their names. */
export type Hooks = Readonly<Record<string, HookHandler>>;

/** Hooks that can be called. */
export interface OpenedHooks {
  /** What a call must show to reach these hooks, and no others. */
  readonly token: string;
  /** Ends all calls of these hooks; later ones are refused. Idempotent. */
  close(): void;
}

/** Where programs on this machine call back, each with a token of its own. */
export interface HookHost {
  /** The address below which the hooks lie. */
  readonly url: string;
  readonly port: number;
  open(hooks: Hooks): OpenedHooks;
  /** Ends all calls and stops listening. Idempotent. */
  stop(): Promise<void>;
}

/** Where one program on this machine calls back. */
export interface HookServer {
  /** The address below which the hooks lie. */
  readonly url: string;
  readonly token: string;
  /** Ends all calls and stops listening. Idempotent. */
  stop(): Promise<void>;
}

/** Settings of {@link startHookServer}. */
export interface HookServerOptions {
  /** A call has to be received within this time, in milliseconds. Its answer may take any. @default 30_000 */
  readonly receiveTimeoutMs?: number;
}

/** A call that reaches no hook. */
class RefusedCall extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Hooks that are open, with the calls under way. */
interface Entry {
  readonly hooks: Hooks;
  readonly tokenHash: Buffer;
  readonly calls: Set<ServerResponse>;
}

/**
 * Listens on 127.0.0.1 for calls to `<url>/<name of a hook>`: POST with a body of JSON and the token of the hooks that are
 * meant, from a program, not from a web page. Answers in JSON. Whatever else comes reaches no hook: 401 for a wrong token,
 * 403 for another host's name or an origin, 404, 405, 408, 413 and 415 as HTTP has them; 500 when the body is no JSON, or
 * the handler fails.
 */
export async function startHookHost({ receiveTimeoutMs = 30_000 }: HookServerOptions = {}): Promise<HookHost> {
  const entries = new Set<Entry>();
  const server = createServer((request, response) => {
    answer(request, response, { entries, receiveTimeoutMs }).catch(() => response.destroy());
  });
  // A handler may wait for a person: nothing but the caller ends a call that was received.
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
  const token = randomBytes(32).toString("base64url");
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
    // Its hooks were closed meanwhile.
    if (response.destroyed) return;
    reply(response, { status: 200, body: (await handler(JSON.parse(text))) ?? {} });
  } catch (error) {
    const isRefused = error instanceof RefusedCall;
    // What is still to come of the call is not waited for.
    if (isRefused) response.setHeader("connection", "close");
    reply(response, {
      status: isRefused ? error.status : 500,
      body: { error: isRefused ? error.message : String(error) },
    });
  } finally {
    entry?.calls.delete(response);
  }
}

/** Whose hooks a call means. @throws RefusedCall */
function findEntry({ headers }: IncomingMessage, entries: ReadonlySet<Entry>): Entry {
  // A web page whose name was made to lead here sends that name.
  if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(headers.host ?? "") || headers.origin !== undefined) {
    throw new RefusedCall(403, "Only programs on this machine may call.");
  }
  const shown = hashOf(headers.authorization ?? "");
  const entry = [...entries].find(({ tokenHash }) => timingSafeEqual(shown, tokenHash));
  if (entry === undefined) throw new RefusedCall(401, "The token is missing or wrong.");
  return entry;
}

/** @throws RefusedCall */
function findHandler({ headers, method, url = "" }: IncomingMessage, hooks: Hooks): HookHandler {
  if (method !== "POST") throw new RefusedCall(405, "A hook is called with POST.");
  const name = url.slice(1);
  const handler = url.startsWith("/") && Object.hasOwn(hooks, name) ? hooks[name] : undefined;
  if (handler === undefined) throw new RefusedCall(404, "No such hook.");
  if (!/^application\/json(?:;|$)/i.test(headers["content-type"] ?? "")) {
    throw new RefusedCall(415, "A hook takes JSON.");
  }
  return handler;
}

/** The body of a call. @throws RefusedCall for one that is too large, or too slow */
async function receive(request: IncomingMessage, timeoutMs: number): Promise<string> {
  const { promise: isLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new RefusedCall(408, "The call took too long.")), timeoutMs);
  const chunks: Buffer[] = [];
  let size = 0;
  const read = async (): Promise<string> => {
    for await (const chunk of request) {
      const bytes = Buffer.from(chunk);
      size += bytes.length;
      if (size > MAX_HOOK_BODY_BYTES) throw new RefusedCall(413, "The call is too large.");
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

/** Hashes have one length, which the comparison needs. */
function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
