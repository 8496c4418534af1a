import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";

/** Answers one hook. What it rejects with is a failed call to the caller. */
export type HookHandler = (body: unknown) => Promise<unknown>;

/** Where a program on this machine calls back. */
export interface HookServer {
  /** The address below which the hooks lie. */
  readonly url: string;
  readonly token: string;
  /** Ends all calls and stops listening. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Listens on 127.0.0.1 for calls to `<url>/<name of a hook>`, each with a body of JSON and the token. Answers in JSON:
 * 404 for an unknown hook, 401 for a wrong token, 500 when the handler fails.
 */
export async function startHookServer(hooks: Readonly<Record<string, HookHandler>>): Promise<HookServer> {
  const token = randomBytes(32).toString("base64url");
  const tokenHash = hashOf(`Bearer ${token}`);
  const server = createServer((request, response) => {
    answer(request, response, { hooks, tokenHash }).catch(() => response.destroy());
  });
  // A handler may wait for a person: nothing but the caller ends a call.
  server.requestTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The hook server has no port.");
  return { url: `http://127.0.0.1:${address.port}`, token, stop: () => stopServer(server) };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { hooks, tokenHash }: { readonly hooks: Readonly<Record<string, HookHandler>>; readonly tokenHash: Buffer },
): Promise<void> {
  if (!timingSafeEqual(hashOf(request.headers.authorization ?? ""), tokenHash)) {
    return reply(response, { status: 401, body: { error: "The token is missing or wrong." } });
  }
  const name = (request.url ?? "").slice(1);
  const handler = Object.hasOwn(hooks, name) ? hooks[name] : undefined;
  if (handler === undefined) return reply(response, { status: 404, body: { error: "No such hook." } });
  try {
    reply(response, { status: 200, body: (await handler(await json(request))) ?? {} });
  } catch (error) {
    reply(response, { status: 500, body: { error: String(error) } });
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
