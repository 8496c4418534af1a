import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { OpencodeClient } from "@opencode-ai/sdk/v2/client";
import { AgentCrashedError, recordOf, stringOf } from "../../contracts/index.ts";
import { buildOpenCodeEnvironment } from "../opencode-settings/opencode-settings.ts";
import { prepareOpenCode } from "../opencode-settings/prepare-opencode.ts";
import { openSandbox } from "../sandbox/open-sandbox.ts";
import type { ToolHost } from "../tools/tool-host.ts";
import { findOpenCode, loadOpenCodeSdk } from "./find-opencode.ts";
import { type HookServer, startHookServer } from "./hook-server.ts";
import { AGENT_TYPE } from "./opencode-errors.ts";
import { followEventStream } from "./opencode-event-stream.ts";
import type { OpenCodeOptions } from "./opencode-options.ts";
import { createPluginHooks, EventRouter, type SessionReceiver } from "./opencode-router.ts";
import { type OpenCodeServer, startOpenCodeServer } from "./opencode-server.ts";
import { type OpenCodeEvent, parseOpenCodeEvent } from "./opencode-wire.ts";

/** A running server with its one stream of events. */
export interface OpenCodeConnection {
  readonly sdk: OpencodeClient;
  /** False once the server has ended. */
  readonly isOpen: boolean;
  /** Resolves when the server has ended and its sessions know. */
  readonly ended: Promise<void>;
  /** Routes the events of a session to a receiver, which replaces an earlier one. */
  register(sessionId: string, receiver: SessionReceiver): void;
  /** Ends the routing, if it still goes to this receiver. */
  unregister(sessionId: string, receiver: SessionReceiver): void;
  /** Hands on an event that was read anew, like one from the stream. */
  deliver(event: OpenCodeEvent): void;
  stop(): Promise<void>;
}

/**
 * Starts OpenCode's server and waits until its events arrive; `signal` ends the server while it is being started.
 * @throws ClientNotInstalledError, AgentCrashedError
 */
export async function openOpenCodeConnection(
  options: OpenCodeOptions,
  { signal, toolHost }: { readonly signal?: AbortSignal; readonly toolHost?: Pick<ToolHost, "listen"> } = {},
): Promise<OpenCodeConnection> {
  const { startTimeoutMs = 30_000 } = options;
  const { createOpencodeClient: createClient } = await loadOpenCodeSdk(options);
  const binaryPath = await findOpenCode(options);
  const router = new EventRouter((sessionId, directory) => loadParent(sdk, { sessionId, directory }));
  const hooks = await startHookServer(createPluginHooks(router));
  const starting = startServer(options, { binaryPath, startTimeoutMs, hooks, signal, toolHost });
  const { server, password } = await starting.catch(async (error) => {
    await hooks.stop();
    throw error;
  });
  const authorization = `Basic ${Buffer.from(`opencode:${password}`).toString("base64")}`;
  const sdk = createClient({ baseUrl: server.url, headers: { Authorization: authorization } });
  const ending = new AbortController();
  const ended = server.ended.then((error) => {
    ending.abort(error);
    router.end(error);
  });
  void ended.then(() => hooks.stop());
  try {
    await connectEvents({ sdk, router, signal: ending.signal, startTimeoutMs });
  } catch (error) {
    await server.stop();
    throw error;
  }
  return createConnection({ sdk, server, router, ending, ended });
}

/** Starts the server together with the files that it needs, and takes them away when it ends. */
async function startServer(
  options: OpenCodeOptions,
  parts: {
    readonly binaryPath: string;
    readonly startTimeoutMs: number;
    readonly hooks: HookServer;
    readonly signal: AbortSignal | undefined;
    readonly toolHost: Pick<ToolHost, "listen"> | undefined;
  },
): Promise<{ readonly server: OpenCodeServer; readonly password: string }> {
  const { binaryPath, startTimeoutMs, hooks, signal, toolHost } = parts;
  const { details, remove } = await prepareOpenCode(options);
  try {
    const env = buildOpenCodeEnvironment(options, { ...details, hooks });
    const { workingDirectory } = options;
    const sandbox = await openSandbox(options, {
      agentType: AGENT_TYPE,
      program: binaryPath,
      env,
      workingDirectory,
      readable: [path.dirname(details.pluginPath)],
      ports: [Number(new URL(hooks.url).port), ...(options.sandbox && toolHost ? [await toolHost.listen()] : [])],
      isCalled: true,
    });
    const server = await startOpenCodeServer({ binaryPath, env, workingDirectory, startTimeoutMs, signal, sandbox });
    const removed = server.ended.then(remove);
    const stop = () => server.stop().then(() => removed);
    return { server: { ...server, stop }, password: details.password };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The session that a sub-agent's belongs to, where OpenCode knows one. */
async function loadParent(
  sdk: OpencodeClient,
  { sessionId, directory }: { readonly sessionId: string; readonly directory: string },
): Promise<string | undefined> {
  const { data } = await sdk.session.get({ sessionID: sessionId, directory });
  return stringOf(recordOf(data).parentID) || undefined;
}

function createConnection(parts: {
  readonly sdk: OpencodeClient;
  readonly server: OpenCodeServer;
  readonly router: EventRouter;
  readonly ending: AbortController;
  readonly ended: Promise<void>;
}): OpenCodeConnection {
  const { sdk, server, router, ending, ended } = parts;
  return {
    sdk,
    get isOpen() {
      return !ending.signal.aborted;
    },
    ended,
    register: (sessionId, receiver) => router.register(sessionId, receiver),
    unregister: (sessionId, receiver) => router.unregister(sessionId, receiver),
    deliver: (event) => router.route(event),
    stop: () => server.stop(),
  };
}

async function connectEvents(parts: {
  readonly sdk: OpencodeClient;
  readonly router: EventRouter;
  readonly signal: AbortSignal;
  readonly startTimeoutMs: number;
}): Promise<void> {
  const { sdk, router, signal, startTimeoutMs } = parts;
  const timeout = new AbortController();
  const late = sleep(startTimeoutMs, undefined, { signal: timeout.signal }).then(() => {
    throw new AgentCrashedError(AGENT_TYPE, `no events within ${startTimeoutMs} ms`, []);
  });
  const following = followEventStream({
    // Without a limit of attempts the SDK itself would try for ever; with an abort signal, Bun reports a rejection that
    // nobody can catch. So the stream ends only with the server.
    subscribe: async () => (await sdk.global.event({ sseMaxRetryAttempts: 1 })).stream,
    isConnected: (raw) => recordOf(recordOf(raw).payload).type === "server.connected",
    onEvent: (raw) => {
      const event = parseOpenCodeEvent(raw);
      if (event !== undefined) router.route(event);
    },
    onReconnect: () => router.reconnected(),
    signal,
  });
  try {
    await Promise.race([following, late]);
  } finally {
    timeout.abort();
  }
}
