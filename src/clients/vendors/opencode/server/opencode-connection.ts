import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { OpencodeClient } from "@opencode-ai/sdk/v2/client";
import {
  AgentCrashedError,
  PermissionGateMissingError,
  recordOf,
  ServerNotJoinedError,
  stringOf,
} from "../../../../contracts/index.ts";
import { DEFAULT_START_TIMEOUT_MS } from "../../../options/client-options.ts";
import { type HookServer, startHookServer } from "../../../process/hook-server.ts";
import { loginCommandOf } from "../../../process/login-command.ts";
import { openSandbox } from "../../../sandbox/open-sandbox.ts";
import type { ToolHost } from "../../../tools/tool-host.ts";
import { PluginGates } from "../../opencode-settings/plugin-gates.ts";
import { prepareOpenCode } from "../../opencode-settings/prepare-opencode.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { findOpenCode, loadOpenCodeSdk } from "./find-opencode.ts";
import { AGENT_TYPE, LOGIN_ARGUMENTS } from "./opencode-errors.ts";
import { followEventStream } from "./opencode-event-stream.ts";
import type { OpenCodeOptions } from "./opencode-options.ts";
import { createPluginHooks, EventRouter, type SessionReceiver } from "./opencode-router.ts";
import { type OpenCodeServer, startOpenCodeServer } from "./opencode-server.ts";
import { type OpenCodeEvent, parseOpenCodeEvent } from "./opencode-wire.ts";

/** How long to wait for the exit of a server that no longer accepts calls, in milliseconds. */
const CRASH_NOTICE_MS = 2_000;

/** A server's settings do not show what runs in it, and the agent's commands could read the password in its environment. */
const NO_GATE_IN_SERVER =
  "Atomic decides about tool calls in a plugin, which OpenCode loads when it starts and not later, so a running server would not enforce the policy. Leave baseUrl out: Atomic then starts its own server, with the same login, settings and conversations";

/** A running server with its one stream of events. */
export interface OpenCodeConnection {
  readonly sdk: OpencodeClient;
  /** False once the server has ended. */
  readonly isOpen: boolean;
  /** How to sign in with the server's program. */
  readonly loginCommand: string;
  /** Resolves when the server has ended and its sessions are informed. */
  readonly ended: Promise<void>;
  /** Routes the events of a session to a receiver, which replaces an earlier one. */
  register(sessionId: string, receiver: SessionReceiver): void;
  /** Ends the routing, if it still goes to this receiver. */
  unregister(sessionId: string, receiver: SessionReceiver): void;
  /**
   * Opens a folder and waits until Atomic's plugin is loaded in it. Returns the folder's worktree.
   * @throws PermissionGateMissingError
   */
  openFolder(directory: string): Promise<{ readonly worktree: string }>;
  /** Routes an event that was read again, like one from the stream. */
  deliver(event: OpenCodeEvent): void;
  stop(): Promise<void>;
}

/**
 * Starts OpenCode's server and waits until its events arrive. `signal` ends the server while it starts.
 * @throws ClientNotInstalledError, AgentCrashedError, PermissionGateMissingError, ServerNotJoinedError
 */
export async function openOpenCodeConnection(
  options: OpenCodeOptions,
  { signal, toolHost }: { readonly signal?: AbortSignal; readonly toolHost?: Pick<ToolHost, "listen"> } = {},
): Promise<OpenCodeConnection> {
  const { startTimeoutMs = DEFAULT_START_TIMEOUT_MS, baseUrl } = options;
  if (baseUrl !== undefined) throw new ServerNotJoinedError(AGENT_TYPE, baseUrl, NO_GATE_IN_SERVER);
  const { createOpencodeClient: createClient } = await loadOpenCodeSdk(options);
  const binaryPath = await findOpenCode(options);
  const router = new EventRouter((sessionId, directory) => loadParent(sdk, { sessionId, directory }));
  const gates = new PluginGates(AGENT_TYPE);
  const hooks = await startHookServer(createPluginHooks(router, gates));
  const starting = startServer(options, { binaryPath, startTimeoutMs, hooks, signal, toolHost });
  const { server, password } = await starting.catch(async (error) => {
    await hooks.stop();
    throw error;
  });
  const authorization = `Basic ${Buffer.from(`opencode:${password}`).toString("base64")}`;
  const sdk = createClient({
    baseUrl: server.url,
    headers: { Authorization: authorization },
    // A server that was just started may need as long for its first answer.
    // The cast is true for the SDK's own calls, which pass one request.
    fetch: boundedFetch(Math.max(options.stallTimeoutMs ?? 300_000, startTimeoutMs)) as typeof fetch,
  });
  const ending = new AbortController();
  const ended = server.ended.then((error) => {
    ending.abort(error);
    router.end(error);
  });
  void ended.then(() => hooks.stop());
  try {
    await requirePassword(server.url);
    await connectEvents({ sdk, router, gates, signal: ending.signal, startTimeoutMs });
  } catch (error) {
    await server.stop();
    throw error;
  }
  const program = { name: "opencode", args: LOGIN_ARGUMENTS, env: options.env };
  const loginCommand = await loginCommandOf(binaryPath, program);
  return createConnection({ sdk, server, router, gates, ending, ended, loginCommand });
}

/** Starts the server with the files that it needs, and removes them when it ends. */
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
  const { env, workingDirectory, password, readable, writable, remove } = await prepareOpenCode(options, { hooks });
  try {
    const sandbox = await openSandbox(options, {
      agentType: AGENT_TYPE,
      program: binaryPath,
      env,
      workingDirectory: options.workingDirectory,
      readable,
      writable,
      ports: [
        Number(new URL(hooks.url).port),
        ...(options.sandbox !== undefined && toolHost !== undefined ? [await toolHost.listen()] : []),
      ],
      isCalled: true,
    });
    const server = await startOpenCodeServer({
      binaryPath: path.resolve(binaryPath),
      env,
      workingDirectory,
      startTimeoutMs,
      signal,
      sandbox,
    });
    const removed = server.ended.then(remove);
    const stop = () => server.stop().then(() => removed);
    return { server: { ...server, stop }, password };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A server without a password has not read its secrets, so Atomic's settings are not in force either. */
async function requirePassword(url: string): Promise<void> {
  const { status } = await fetch(`${url}/path`);
  if (status === 401) return;
  throw new PermissionGateMissingError(AGENT_TYPE, "its server asks for no password");
}

/** A folder as OpenCode knows it. */
interface OpenedFolder {
  readonly directory: string;
  readonly worktree: string;
}

/** Any request for a folder makes OpenCode load the folder's settings, including plugins. */
function createFolderOpener(parts: {
  readonly sdk: OpencodeClient;
  readonly gates: PluginGates;
  readonly server: OpenCodeServer;
}): OpenCodeConnection["openFolder"] {
  const { sdk, gates, server } = parts;
  const known = new Map<string, OpenedFolder>();
  return async (directory) => {
    const earlier = known.get(directory);
    if (earlier !== undefined && gates.has(earlier.directory)) return earlier;
    const { data } = await sdk.path.get({ directory }, { throwOnError: true }).catch(async (error: unknown) => {
      // A dead server rejects calls before its exit is reported, and the exit explains more.
      const late = sleep(CRASH_NOTICE_MS, undefined, { ref: false });
      throw error instanceof TypeError ? ((await Promise.race([server.ended, late])) ?? error) : error;
    });
    const { directory: opened, worktree } = recordOf(data);
    await gates.require(stringOf(opened));
    const folder = { directory: stringOf(opened), worktree: stringOf(worktree) || directory };
    known.set(directory, folder);
    return folder;
  };
}

/** The parent of a sub-agent's session, if OpenCode knows one. */
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
  readonly gates: PluginGates;
  readonly ending: AbortController;
  readonly ended: Promise<void>;
  readonly loginCommand: string;
}): OpenCodeConnection {
  const { sdk, server, router, gates, ending, ended, loginCommand } = parts;
  return {
    sdk,
    loginCommand,
    get isOpen() {
      return !ending.signal.aborted;
    },
    ended,
    register: (sessionId, receiver) => router.register(sessionId, receiver),
    unregister: (sessionId, receiver) => router.unregister(sessionId, receiver),
    openFolder: createFolderOpener({ sdk, gates, server }),
    deliver: (event) => router.route(event),
    stop: () => server.stop(),
  };
}

async function connectEvents(parts: {
  readonly sdk: OpencodeClient;
  readonly router: EventRouter;
  readonly gates: PluginGates;
  readonly signal: AbortSignal;
  readonly startTimeoutMs: number;
}): Promise<void> {
  const { sdk, router, gates, signal, startTimeoutMs } = parts;
  const timeout = new AbortController();
  const late = sleep(startTimeoutMs, undefined, { signal: timeout.signal }).then(() => {
    throw new AgentCrashedError(AGENT_TYPE, `no events within ${startTimeoutMs} ms`, []);
  });
  const following = followEventStream({
    // Without a limit, the SDK itself would retry forever; with an abort signal, Bun reports a rejection that nobody can
    // catch. So the stream ends only with the server.
    subscribe: async () => (await sdk.global.event({ sseMaxRetryAttempts: 1 })).stream,
    isConnected: (raw) => recordOf(recordOf(raw).payload).type === "server.connected",
    onEvent: (raw) => {
      const event = parseOpenCodeEvent(raw);
      if (event?.type === "server.instance.disposed") gates.remove(stringOf(event.properties.directory));
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
