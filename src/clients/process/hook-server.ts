import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";

/** Answers one hook. What it rejects with is a failed call to the caller. */
export type HookHandler = (body: unknown) => Promise<unknown>;

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

/** Hooks that are open, with the calls under way. */
interface Entry {
  readonly hooks: Hooks;
  readonly tokenHash: Buffer;
  readonly calls: Set<ServerResponse>;
}

/**
 * Listens on 127.0.0.1 for calls to `<url>/<name of a hook>`, each with a body of JSON and the token of the hooks that it
 * means. Answers in JSON: 404 for an unknown hook, 401 for a wrong token, 500 when the handler fails.
 */
export async function startHookHost(): Promise<HookHost> {
  const entries = new Set<Entry>();
  const server = createServer((request, response) => {
    answer(request, response, entries).catch(() => response.destroy());
  });
  // A handler may wait for a person: nothing but the caller ends a call.
  server.requestTimeout = 0;
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
export async function startHookServer(hooks: Hooks): Promise<HookServer> {
  const host = await startHookHost();
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

async function answer(request: IncomingMessage, response: ServerResponse, entries: ReadonlySet<Entry>): Promise<void> {
  const shown = hashOf(request.headers.authorization ?? "");
  const entry = [...entries].find(({ tokenHash }) => timingSafeEqual(shown, tokenHash));
  if (entry === undefined) return reply(response, { status: 401, body: { error: "The token is missing or wrong." } });
  const name = (request.url ?? "").slice(1);
  const handler = Object.hasOwn(entry.hooks, name) ? entry.hooks[name] : undefined;
  if (handler === undefined) return reply(response, { status: 404, body: { error: "No such hook." } });
  entry.calls.add(response);
  try {
    reply(response, { status: 200, body: (await handler(await json(request))) ?? {} });
  } catch (error) {
    reply(response, { status: 500, body: { error: String(error) } });
  } finally {
    entry.calls.delete(response);
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
