import { connect } from "node:net";
import { isLoopback } from "../../clients/index.ts";
import { AtomicError } from "../../contracts/index.ts";
import { sleep } from "../../system/index.ts";

/** Nothing answers at the address of a model endpoint that the settings or the environment name. */
export class EndpointUnreachableError extends AtomicError {
  /** Fails until the address is corrected or its server runs. */
  readonly isRetryable = false;

  constructor(
    readonly address: string,
    reason: string,
    /** Where the address is set. */
    readonly place: string,
  ) {
    super(
      "ENDPOINT_UNREACHABLE",
      `Nothing answers at ${address} (${reason}). Start the model's server, or correct ${place}.`,
    );
  }
}

/** A model endpoint that the settings or the environment name. */
export interface ProbeOptions {
  readonly baseUrl: string;
  /** Finds where it is set, as the end of a sentence: the key and its file, or the variable. */
  readonly findPlace: () => Promise<string>;
  /** Names the proxies. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** @default 3_000 */
  readonly timeoutMs?: number;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/**
 * Checks that something listens at an endpoint's address. Otherwise agents retry the call for minutes and do not name the
 * address. Skipped if a proxy is set.
 *
 * @throws EndpointUnreachableError
 */
export async function probeEndpoint(options: ProbeOptions): Promise<void> {
  const { baseUrl, findPlace, env, timeoutMs = 3_000 } = options;
  const url = new URL(baseUrl);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = url.port === "" ? DEFAULT_PORTS[url.protocol] : Number(url.port);
  if (port === undefined || (hasProxy(env) && !isLoopback(url.hostname))) return;
  const reason = await failureOf(host, port, timeoutMs);
  if (reason !== undefined) throw new EndpointUnreachableError(`${host}:${port}`, reason, await findPlace());
}

/** Settings of {@link awaitEndpoint}. */
export interface AwaitEndpointOptions {
  readonly signal: AbortSignal;
  /** How long the server may take to come back, in milliseconds. @default 10_000 */
  readonly patienceMs?: number;
  /** The pause between two attempts, in milliseconds. @default 1_000 */
  readonly intervalMs?: number;
}

/**
 * Waits until something listens at an endpoint on this machine, whose server may just be restarting. Returns at once for an
 * endpoint elsewhere: that may be out of reach for longer.
 *
 * @throws EndpointUnreachableError when nothing has answered in time; the signal's reason
 */
export async function awaitEndpoint(
  options: ProbeOptions,
  { signal, patienceMs = 10_000, intervalMs = 1_000 }: AwaitEndpointOptions,
): Promise<void> {
  if (!isLoopback(new URL(options.baseUrl).hostname)) return;
  const end = performance.now() + patienceMs;
  for (;;) {
    try {
      return await probeEndpoint(options);
    } catch (error) {
      if (performance.now() >= end) throw error;
    }
    await sleep(intervalMs, signal);
  }
}

function hasProxy(env: ProbeOptions["env"]): boolean {
  return ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].some((name) => env[name] || env[name.toLowerCase()]);
}

/** Why connecting failed; undefined if it succeeded. */
function failureOf(host: string, port: number, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (reason: string | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(reason);
    };
    const timer = setTimeout(() => end(`no answer within ${timeoutMs} ms`), timeoutMs);
    socket.once("connect", () => end(undefined));
    socket.on("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
