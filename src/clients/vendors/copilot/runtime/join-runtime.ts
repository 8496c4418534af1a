import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { addAbortSignal } from "node:stream";
import { AgentCrashedError, messageOf, ServerNotJoinedError } from "../../../../contracts/index.ts";
import { AGENT_TYPE } from "./copilot-errors.ts";
import type { CopilotOptions } from "./copilot-options.ts";
import type { CopilotRuntime } from "./copilot-runtime.ts";
import { openStdioRelay, type StdioRelay } from "./stdio-relay.ts";

/** A runtime to join. */
export interface JoinRuntimeOptions {
  readonly cliUrl: string;
  /** The runtime's token. @default none */
  readonly token?: string | undefined;
  /** How long the connection may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends the connection, also while it is opened. @default none */
  readonly signal?: AbortSignal | undefined;
}

/** Only a runtime on this machine sees the files that the policy judges. */
const OWN_HOSTS: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Connects to a running runtime, which Atomic neither stops nor sandboxes. The policy applies in it, because a session's
 * hooks and its permission handler are Atomic's, and a turn in which no hook is called is aborted before the model is
 * called.
 * @throws ServerNotJoinedError
 */
export async function joinCopilotRuntime(options: JoinRuntimeOptions): Promise<CopilotRuntime> {
  const { cliUrl, signal } = options;
  const { hostname, port } = readAddress(cliUrl);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port), noDelay: true });
  // The `close` event follows every error.
  socket.on("error", () => {});
  const ended = new Promise<AgentCrashedError>((resolve) => {
    const reason = `the connection to ${cliUrl} was closed`;
    socket.once("close", () => resolve(new AgentCrashedError(AGENT_TYPE, reason, [])));
  });
  if (signal !== undefined) addAbortSignal(signal, socket);
  const relay = await openRelay(socket, options);
  void ended.then(() => relay.close());
  return {
    port: relay.port,
    token: relay.token,
    ended,
    isAlive: () => !socket.destroyed,
    stop: async () => {
      relay.close();
      socket.destroy();
      await ended;
    },
  };
}

/** Rejects settings that only a runtime started by Atomic supports. @throws ServerNotJoinedError */
export function assertJoinable(options: CopilotOptions, cliUrl: string): void {
  const reject = (reason: string): never => {
    throw new ServerNotJoinedError(AGENT_TYPE, cliUrl, reason);
  };
  const { sandbox, homeDirectory, binaryPath, projectSettings = false } = options;
  if (sandbox !== undefined) reject("a running runtime cannot be put into a sandbox. Leave cliUrl out");
  if (homeDirectory !== undefined) reject("a running runtime has its own home. Leave homeDirectory or cliUrl out");
  if (binaryPath !== undefined)
    reject("a running runtime is not started from a program. Leave binaryPath or cliUrl out");
  // A runtime started by Atomic gets an environment in which git runs no programs that a repository names.
  if (!projectSettings) {
    reject(
      'a running runtime has its own environment, so a program that an untrusted project names, as in .git/config, could run there. Trust the project ("atomic trust add", or projectSettings: true in a program), or leave cliUrl out',
    );
  }
}

/** Runtimes do not support TLS. @throws ServerNotJoinedError */
function readAddress(cliUrl: string): URL {
  // The scheme has no port of its own, which the parser would leave out.
  const url = URL.parse(`tcp://${cliUrl.toLowerCase().replace(/^http:\/\//, "")}`);
  if (url === null || url.port === "") {
    throw new ServerNotJoinedError(AGENT_TYPE, cliUrl, "this is not an address of the form 127.0.0.1:PORT");
  }
  if (OWN_HOSTS.has(url.hostname)) return url;
  const reason =
    "Atomic judges the files of this machine, so it joins runtimes on 127.0.0.1 only. Start Atomic where the runtime is";
  throw new ServerNotJoinedError(AGENT_TYPE, cliUrl, reason);
}

async function openRelay(socket: Socket, options: JoinRuntimeOptions): Promise<StdioRelay> {
  try {
    await connected(socket, options);
    return await openStdioRelay({ input: socket, output: socket }, { serverToken: options.token });
  } catch (error) {
    socket.destroy();
    options.signal?.throwIfAborted();
    throw error;
  }
}

async function connected(socket: Socket, { cliUrl, timeoutMs }: JoinRuntimeOptions): Promise<void> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    await once(socket, "connect", { signal: timeout });
  } catch (error) {
    const reason = `nothing answers there (${timeout.aborted ? `no answer within ${timeoutMs} ms` : messageOf(error)}). Start it with "copilot --headless --port PORT"`;
    throw new ServerNotJoinedError(AGENT_TYPE, cliUrl, reason, { cause: error });
  }
}
