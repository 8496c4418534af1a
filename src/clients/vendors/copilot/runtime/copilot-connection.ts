import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CopilotClient as CopilotSdkClient } from "@github/copilot-sdk";
import {
  AgentCrashedError,
  ClientNotInstalledError,
  messageOf,
  NotSignedInError,
  ServerNotJoinedError,
} from "../../../../contracts/index.ts";
import { DEFAULT_START_TIMEOUT_MS } from "../../../options/client-options.ts";
import { openSandbox } from "../../../sandbox/open-sandbox.ts";
import { createCallGuard } from "./copilot-call-guard.ts";
import { AGENT_TYPE, LOGIN_COMMAND, TOKEN_VARIABLE } from "./copilot-errors.ts";
import { buildRuntimeArguments, buildRuntimeEnvironment, type CopilotOptions } from "./copilot-options.ts";
import { type CopilotRuntime, startCopilotRuntime } from "./copilot-runtime.ts";
import { findCopilot, loadCopilotSdk } from "./find-copilot.ts";
import { assertJoinable, joinCopilotRuntime } from "./join-runtime.ts";

/** A running runtime and the SDK's connection to it. */
export interface CopilotConnection {
  /** Resolves when the runtime has ended, by itself or by `stop`. Never rejects. */
  readonly ended: Promise<AgentCrashedError>;
  /** False once the runtime has ended. */
  readonly isOpen: boolean;
  /** Calls the runtime. @throws AgentCrashedError if the call failed because the runtime ended */
  call<T>(work: (sdk: CopilotSdkClient) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** How long the runtime may take to close sessions, in milliseconds. */
const FAREWELL_MS = 3_000;

/**
 * Starts the runtime, or joins one, and connects the SDK to it. `signal` ends the runtime while it starts.
 * @throws ClientNotInstalledError, NotSignedInError, AgentCrashedError, ServerNotJoinedError
 */
export async function openCopilotConnection(
  options: CopilotOptions,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<CopilotConnection> {
  const { startTimeoutMs = DEFAULT_START_TIMEOUT_MS } = options;
  const sdkModule = await loadCopilotSdk(options);
  const { runtime, file } = await openRuntime(options, { signal, startTimeoutMs });
  const { port, token: connectionToken } = runtime;
  const sdk = new sdkModule.CopilotClient({
    connection: sdkModule.RuntimeConnection.forUri(`127.0.0.1:${port}`, { connectionToken }),
  });
  try {
    const needsLogin = options.endpoint === undefined;
    await connect(sdk, { runtime, startTimeoutMs, file, isJoined: options.cliUrl !== undefined, needsLogin });
    tuneConnection(sdk);
  } catch (error) {
    await sdk.forceStop();
    await runtime.stop();
    throw error;
  }
  return createConnection(sdk, runtime);
}

/** A running runtime. */
interface OpenedRuntime {
  readonly runtime: CopilotRuntime;
  /** Its name in errors: its program, or its address. */
  readonly file: string;
}

/** Starts a runtime, or joins the one in the options. */
async function openRuntime(
  options: CopilotOptions,
  { signal, startTimeoutMs }: { readonly signal: AbortSignal | undefined; readonly startTimeoutMs: number },
): Promise<OpenedRuntime> {
  const { cliUrl, cliToken = options.env.COPILOT_CONNECTION_TOKEN, workingDirectory } = options;
  if (cliUrl !== undefined) {
    assertJoinable(options, cliUrl);
    const joining = { cliUrl, token: cliToken, timeoutMs: startTimeoutMs, signal };
    return { runtime: await joinCopilotRuntime(joining), file: cliUrl };
  }
  const file = await findCopilot(options);
  const program = path.resolve(file);
  const env = buildRuntimeEnvironment(options);
  const place = { agentType: AGENT_TYPE, program, env, workingDirectory };
  const runtime = await startCopilotRuntime({
    command: [program, ...buildRuntimeArguments(options)],
    env,
    openSandbox: (folder) => openSandbox(options, { ...place, readable: [folder] }),
    signal,
  });
  return { runtime, file };
}

/** The runtime to connect to. */
interface ConnectDetails {
  readonly runtime: CopilotRuntime;
  readonly startTimeoutMs: number;
  /** The runtime's name in errors. */
  readonly file: string;
  /** Whether another program started it. */
  readonly isJoined: boolean;
  readonly needsLogin: boolean;
}

async function connect(sdk: CopilotSdkClient, details: ConnectDetails): Promise<void> {
  const { runtime, startTimeoutMs, needsLogin } = details;
  const timeout = new AbortController();
  try {
    await Promise.race([
      sdk.start().then(() => (needsLogin ? requireLogin(sdk) : undefined)),
      runtime.ended.then((error) => Promise.reject(error)),
      sleep(startTimeoutMs, undefined, { signal: timeout.signal }).then(() => {
        throw new AgentCrashedError(AGENT_TYPE, `no connection within ${startTimeoutMs} ms`, []);
      }),
    ]);
  } catch (error) {
    throw toConnectError(error, details);
  } finally {
    timeout.abort();
  }
}

function toConnectError(error: unknown, { file, isJoined }: ConnectDetails): unknown {
  if (error instanceof NotSignedInError) return error;
  const isOtherVersion = /protocol version/i.test(messageOf(error));
  if (isJoined && /AUTHENTICATION_FAILED/.test(messageOf(error))) {
    const reason = "it rejected the token. Set COPILOT_CONNECTION_TOKEN to the one that it was started with";
    return new ServerNotJoinedError(AGENT_TYPE, file, reason, { cause: error });
  }
  if (isJoined) {
    const detail = error instanceof AgentCrashedError ? error.ending : messageOf(error);
    const remedy = isOtherVersion ? "Update that program if it is a Copilot. Otherwise correct" : "Correct";
    const reason = `no Copilot that Atomic supports answers there (${detail}). ${remedy} agents.copilot.cliUrl, or leave it out, so that Atomic starts its own Copilot`;
    return new ServerNotJoinedError(AGENT_TYPE, file, reason, { cause: error });
  }
  if (!isOtherVersion) return error;
  return new ClientNotInstalledError(AGENT_TYPE, `a version of "${file}" that fits the SDK (${messageOf(error)})`, {
    cause: error,
    remedy: 'Run "atomic install copilot", or update that program.',
  });
}

async function requireLogin(sdk: CopilotSdkClient): Promise<void> {
  const { isAuthenticated, statusMessage } = await sdk.getAuthStatus();
  if (isAuthenticated) return;
  throw new NotSignedInError(AGENT_TYPE, LOGIN_COMMAND, { detail: statusMessage, variable: TOKEN_VARIABLE });
}

function createConnection(sdk: CopilotSdkClient, runtime: CopilotRuntime): CopilotConnection {
  const { ended } = runtime;
  const guard = createCallGuard(ended);
  return {
    ended,
    get isOpen() {
      return runtime.isAlive();
    },
    call: (work) => guard(() => work(sdk)),
    stop: async () => {
      if (runtime.isAlive()) await withinFarewell(sdk.stop());
      await sdk.forceStop();
      await runtime.stop();
    },
  };
}

/**
 * A write to a runtime that has just died rejects a promise inside vscode-jsonrpc that nobody can catch, which would end
 * Atomic. The SDK has a switch that ignores such errors, and sets it itself when it stops; `ended` reports the crash.
 * Messages are sent in two parts; with Nagle's algorithm, the second would wait 40 ms for the first to be acknowledged.
 */
function tuneConnection(sdk: CopilotSdkClient): void {
  // The fields are private in the SDK's types; if they are missing, nothing changes.
  const { messageWriter, socket } = sdk as unknown as {
    readonly messageWriter?: { suppressWriteErrors: boolean } | null;
    readonly socket?: { setNoDelay?(isOn: boolean): unknown } | null;
  };
  if (messageWriter) messageWriter.suppressWriteErrors = true;
  socket?.setNoDelay?.(true);
}

/** Waits for the work that closes sessions, up to a limit: the runtime may have stopped answering. */
export async function withinFarewell(work: Promise<unknown>): Promise<void> {
  const timeout = new AbortController();
  try {
    await Promise.race([
      work,
      sleep(FAREWELL_MS, undefined, { signal: timeout.signal }).catch(() => {
        // The work finished first.
      }),
    ]);
  } finally {
    timeout.abort();
  }
}
