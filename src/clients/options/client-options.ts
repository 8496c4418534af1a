import type { SandboxConfig } from "../../contracts/index.ts";

/** A model that the user's own endpoint serves. */
export interface EndpointModel {
  readonly id: string;
  /** @default 128_000 */
  readonly contextWindowTokens?: number;
  /** @default 16_384 */
  readonly outputTokens?: number;
  readonly costPerMillionInputUsd?: number;
  readonly costPerMillionOutputUsd?: number;
}

/** The user's own model endpoint: a local server, a gateway. */
export interface ModelEndpoint {
  readonly protocol: "openai-chat" | "openai-responses" | "anthropic-messages";
  /** The base address of the protocol's paths, usually ending in `/v1`. */
  readonly baseUrl: string;
  /** @default a placeholder, for servers that need none */
  readonly apiKey?: string;
  /** At least one; the first is the default model. */
  readonly models: readonly EndpointModel[];
}

/** Options of every client. */
export interface ClientOptions {
  /** The absolute folder that sessions work in unless they name their own. */
  readonly workingDirectory: string;
  /** The complete environment of the agent's process; nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** The agent's program. @default the one installed next to Atomic, else the one on the PATH of `env` */
  readonly binaryPath?: string;
  /**
   * A folder whose own `node_modules` contains the agent and its SDK, as `atomic install` creates it. Packages installed
   * next to Atomic take precedence.
   */
  readonly vendorDirectory?: string;
  /**
   * Keeps all data of the agent (settings, login, conversations) below this folder and off the network, instead of using
   * the user's own.
   */
  readonly homeDirectory?: string;
  /** Whether the user's own settings of the agent apply (its instructions, MCP servers, hooks …). @default true */
  readonly userSettings?: boolean;
  /**
   * Whether the project's settings of the agent that run code or loosen rules apply: hooks, plugins, MCP servers,
   * permissions, language servers. Plain instructions such as `AGENTS.md` are read in either case. Set it only for a
   * project that the user trusts; it has no effect where `userSettings` is false.
   * @default false
   */
  readonly projectSettings?: boolean;
  /** Talk to this endpoint only. @default the providers the user has set up */
  readonly endpoint?: ModelEndpoint;
  /**
   * Called while the agent waits because the network failed, and again when it still waits later. A rejection fails the turn
   * with its error, which is not retried; without it the agent decides how long it retries.
   * @default nothing is checked
   */
  readonly checkEndpoint?: (signal: AbortSignal) => Promise<void>;
  /** The default model, in the agent's own spelling, or the id of one of the endpoint's. @default the agent's own */
  readonly model?: string;
  /** Runs the agent and its child processes in a sandbox with these limits; `{}` means the defaults. @default no sandbox */
  readonly sandbox?: SandboxConfig;
  /** Another folder whose `node_modules` is searched for the sandbox package. @default none */
  readonly sandboxDirectory?: string;
  /** How long the agent may take to start, in milliseconds. @default {@link DEFAULT_START_TIMEOUT_MS} */
  readonly startTimeoutMs?: number;
  /** The default of a turn's `stallTimeoutMs`, in milliseconds. @default 300_000 */
  readonly stallTimeoutMs?: number;
}

/** How long an agent may take to start: many that start at once on a small machine need more than half a minute. */
export const DEFAULT_START_TIMEOUT_MS = 60_000;
