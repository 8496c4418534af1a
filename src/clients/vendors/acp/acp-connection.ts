import { setTimeout as sleep } from "node:timers/promises";
import type { ClientConnection } from "@agentclientprotocol/sdk";
import {
  AgentCrashedError,
  AgentTurnError,
  AtomicError,
  ClientNotInstalledError,
  recordOf,
  stringOf,
  type ToolVerdict,
  UngatedAgentError,
  type UnknownRecord,
} from "../../../contracts/index.ts";
import { DEFAULT_START_TIMEOUT_MS } from "../../options/client-options.ts";
import { importPackage, type PackagePlaces } from "../../process/find-program.ts";
import type { OpenCodeCall } from "../opencode-settings/opencode-call.ts";
import { describeLogin, toAcpError } from "./program/acp-errors.ts";
import { type AcpFeatures, parseFeatures } from "./program/acp-features.ts";
import { type AcpOptions, agentTypeOf, mayStart, presetOf } from "./program/acp-options.ts";
import type {
  AcpCallDecider,
  AcpPreparedSession,
  AcpPresetSettings,
  AcpSessionPlan,
} from "./program/acp-preparation.ts";
import { type AcpProcess, startAcpProcess } from "./program/acp-process.ts";
import { createAcpStream } from "./program/acp-stream.ts";
import { findAcpProgram } from "./program/find-acp-program.ts";

type Sdk = typeof import("@agentclientprotocol/sdk");

/** A request from the agent. */
export interface AcpAgentRequest {
  readonly method: string;
  readonly params: UnknownRecord;
  /** Aborted when the agent cancels the request or ends. */
  readonly signal: AbortSignal;
}

/** Receives what the agent sends about a session. */
export interface AcpReceiver {
  /** A `session/update`. Must not throw. */
  onUpdate(update: unknown): void;
  /** Answers a request from the agent. An {@link AcpRefusal} becomes the error that the agent receives. */
  onRequest(request: AcpAgentRequest): Promise<unknown>;
  /** Decides about a tool call before it happens, for an agent that calls back before each. */
  decideCall(call: OpenCodeCall): Promise<ToolVerdict>;
  /** The agent has ended or is being stopped, and sends nothing more. Must not throw. */
  onEnd(): void;
}

/** The error answer to a request from the agent, with a code of JSON-RPC or ACP. */
export class AcpRefusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** Settings of a request to the agent. */
export interface AcpRequestOptions {
  /** The session of the request, for errors. */
  readonly sessionId?: string;
  /** Fail after this long without an answer and end the unresponsive agent, in milliseconds. @default none */
  readonly timeoutMs?: number;
  /** Whether the agent keeps running when the request times out. @default false */
  readonly isOptional?: boolean;
}

/** A running agent. */
export interface AcpConnection {
  readonly features: AcpFeatures;
  /** False once the process has ended or is being stopped. */
  readonly isOpen: boolean;
  /** Whether the agent calls back before each tool call. */
  readonly decidesCalls: boolean;
  /**
   * Rejects if the agent should call back before each tool call but does not in this folder, which a session opened.
   * @throws PermissionGateMissingError
   */
  requireGate(directory: string): Promise<void>;
  /** Prepares a session in this process; undefined where it needs no preparation. */
  prepareSession(plan: AcpSessionPlan): Promise<AcpPreparedSession | undefined>;
  /** Sends a request. @throws AgentCrashedError and the errors of `acp-errors.ts` */
  request(method: string, params: object, options?: AcpRequestOptions): Promise<UnknownRecord>;
  /** Sends a notification, which is lost when the agent has ended. */
  notify(method: string, params: object): Promise<void>;
  /** Routes a session's updates and requests to a receiver. Replaces an earlier receiver. */
  register(sessionId: string, receiver: AcpReceiver): void;
  /** Ends the routing to this receiver, if it was not replaced. */
  unregister(sessionId: string, receiver: AcpReceiver): void;
  /** Ends the process and everything it started. Idempotent. */
  stop(): Promise<void>;
}

/** What Atomic offers an agent: files and commands under its own policy, and forms as questions. */
const CLIENT_CAPABILITIES = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {} },
  session: { compaction: {} },
};

/** Atomic would read files and run commands outside of the agent's sandbox, so it does not offer them. */
const SANDBOXED_CAPABILITIES = { ...CLIENT_CAPABILITIES, fs: undefined, terminal: false };

const METHOD_NOT_FOUND = -32_601;

/** How long a process may run after its output has ended, in milliseconds. */
const END_GRACE_MS = 500;

/** Settings of {@link openAcpConnection}. */
export interface OpenAcpOptions {
  readonly settings: AcpPresetSettings;
  /** Ends the process while it is being started. @default none */
  readonly signal?: AbortSignal;
  /** Opens the port of Atomic's tools, which a sandbox must know. @default there are no tools */
  readonly openToolPort?: () => Promise<number>;
}

/**
 * Starts an agent's process, connects to it, and authenticates if the options name a method. `signal` ends the process
 * while it starts.
 * @throws UngatedAgentError, ClientNotInstalledError, NotSignedInError, AgentCrashedError
 */
export async function openAcpConnection(
  options: AcpOptions,
  { settings, signal, openToolPort }: OpenAcpOptions,
): Promise<AcpConnection> {
  if (!mayStart(options)) {
    // A missing program is the more useful error: without it, consent to the agent would not help.
    await findAcpProgram(options);
    throw new UngatedAgentError(agentTypeOf(options));
  }
  const sdk = await loadSdk(agentTypeOf(options), options);
  const program = await findAcpProgram(options);
  const receivers = new Map<string, AcpReceiver>();
  const decide: AcpCallDecider = async (call) => {
    // Sub-agents' sessions have no receiver, and get no tools.
    const unknown: ToolVerdict = { type: "block", reason: "Atomic does not know the session of this call." };
    return receivers.get(call.sessionId)?.decideCall(call) ?? unknown;
  };
  const agent = await startAcpProcess(options, { program, settings, signal, decide, openToolPort });
  const connection = new SdkConnection({ sdk, agent, options, settings, receivers });
  try {
    await connection.initialize();
    return connection;
  } catch (error) {
    await connection.stop();
    throw error;
  }
}

/** What to run to sign in to an agent. */
export function loginCommandOf(options: AcpOptions, features?: AcpFeatures): string {
  const preset = presetOf(options);
  return describeLogin(options.loginCommand ?? preset?.loginCommand, {
    command: options.command ?? preset?.command ?? agentTypeOf(options),
    authMethods: features?.authMethods ?? [],
  });
}

async function loadSdk(agentType: string, places: PackagePlaces): Promise<Sdk> {
  try {
    const name = "@agentclientprotocol/sdk";
    return await importPackage({ ...places, name, load: () => import("@agentclientprotocol/sdk") });
  } catch (cause) {
    const remedy = 'Run "atomic install acp".';
    throw new ClientNotInstalledError(agentType, "the package @agentclientprotocol/sdk", { cause, remedy });
  }
}

class SdkConnection implements AcpConnection {
  features: AcpFeatures = parseFeatures({});
  isOpen = true;
  readonly #sdk: Sdk;
  readonly #agent: AcpProcess;
  readonly #options: AcpOptions;
  readonly #settings: AcpPresetSettings;
  readonly #connection: ClientConnection;
  readonly #receivers: Map<string, AcpReceiver>;

  constructor({
    sdk,
    agent,
    options,
    settings,
    receivers,
  }: {
    readonly sdk: Sdk;
    readonly agent: AcpProcess;
    readonly options: AcpOptions;
    readonly settings: AcpPresetSettings;
    readonly receivers: Map<string, AcpReceiver>;
  }) {
    this.#sdk = sdk;
    this.#agent = agent;
    this.#options = options;
    this.#settings = settings;
    this.#receivers = receivers;
    const { stdin, stdout } = agent;
    if (stdin === undefined) throw new Error("An agent was started without an input."); // `hasInput` is set
    const stream = createAcpStream({
      input: stdin,
      output: stdout,
      onNotification: ({ method, params }) => {
        if (method !== "session/update") return;
        const { sessionId, update } = recordOf(params);
        this.#receivers.get(stringOf(sessionId))?.onUpdate(update);
      },
    });
    this.#connection = sdk
      .client({ name: "atomic" })
      .onRequest("*", ({ method, params, signal }) => this.#answer({ method, params: recordOf(params), signal }))
      .connect(stream);
    void agent.ended.then((error) => {
      this.#leave();
      this.#connection.close(error);
    });
    void this.#connection.closed.then(() => this.#endProcess());
  }

  get decidesCalls(): boolean {
    return this.#agent.prepared?.requireGate !== undefined;
  }

  async requireGate(directory: string): Promise<void> {
    await this.#agent.prepared?.requireGate?.(directory);
  }

  async prepareSession(plan: AcpSessionPlan): Promise<AcpPreparedSession | undefined> {
    return this.#agent.prepared?.openSession?.(plan);
  }

  async initialize(): Promise<void> {
    const { startTimeoutMs: timeoutMs = DEFAULT_START_TIMEOUT_MS, authMethod = this.#settings.authMethod } =
      this.#options;
    const answer = await this.request(
      "initialize",
      {
        protocolVersion: this.#sdk.PROTOCOL_VERSION,
        clientCapabilities: this.#options.sandbox === undefined ? CLIENT_CAPABILITIES : SANDBOXED_CAPABILITIES,
        clientInfo: { name: "atomic", title: "Atomic", version: "1" },
      },
      { timeoutMs },
    );
    if (answer.protocolVersion !== this.#sdk.PROTOCOL_VERSION) {
      const detail = `it speaks version ${answer.protocolVersion} of ACP, and Atomic version ${this.#sdk.PROTOCOL_VERSION}. Install a version of the agent that does.`;
      throw new AgentTurnError(agentTypeOf(this.#options), detail, { isRetryable: false });
    }
    this.features = parseFeatures(answer);
    if (authMethod !== undefined) await this.request("authenticate", { methodId: authMethod }, { timeoutMs });
  }

  async request(method: string, params: object, options: AcpRequestOptions = {}): Promise<UnknownRecord> {
    const { sessionId, timeoutMs, isOptional = false } = options;
    try {
      const answer = this.#connection.agent.request(method, params);
      if (timeoutMs === undefined) return recordOf(await answer);
      return recordOf(await this.#within(timeoutMs, { answer, method, isOptional }));
    } catch (error) {
      if (error instanceof this.#sdk.RequestError || error instanceof AtomicError) {
        throw toAcpError(error, {
          agentType: agentTypeOf(this.#options),
          loginCommand: loginCommandOf(this.#options, this.features),
          hasEndpoint: this.#options.endpoint !== undefined,
          ...(sessionId === undefined ? {} : { sessionId }),
        });
      }
      // The stream has ended, perhaps before the process.
      throw await this.#endProcess();
    }
  }

  async notify(method: string, params: object): Promise<void> {
    await this.#connection.agent.notify(method, params).catch(() => {
      // The end of the process reports the same.
    });
  }

  register(sessionId: string, receiver: AcpReceiver): void {
    this.#receivers.set(sessionId, receiver);
  }

  unregister(sessionId: string, receiver: AcpReceiver): void {
    if (this.#receivers.get(sessionId) === receiver) this.#receivers.delete(sessionId);
  }

  async stop(): Promise<void> {
    this.#leave();
    await this.#agent.stop();
  }

  /** Treats the agent as ended: nothing it sends reaches a receiver any more. */
  #leave(): void {
    this.isOpen = false;
    const receivers = [...this.#receivers.values()];
    this.#receivers.clear();
    for (const receiver of receivers) receiver.onEnd();
  }

  async #answer(request: AcpAgentRequest): Promise<unknown> {
    const { method, params } = request;
    try {
      if (this.#options.sandbox !== undefined && /^(fs|terminal)\//.test(method)) {
        throw new AcpRefusal(METHOD_NOT_FOUND, `Atomic does nothing for an agent in a sandbox: "${method}".`);
      }
      const receiver = this.#receivers.get(stringOf(params.sessionId));
      if (receiver !== undefined) return await receiver.onRequest(request);
      // A request for an unknown session gets no approval.
      if (method === "session/request_permission") return { outcome: { outcome: "cancelled" } };
      if (method === "elicitation/create") return { action: "cancel" };
      throw new AcpRefusal(METHOD_NOT_FOUND, `Atomic does not know the method "${method}" here.`);
    } catch (error) {
      if (error instanceof AcpRefusal) throw new this.#sdk.RequestError(error.code, error.message);
      throw error;
    }
  }

  /** Ends an unresponsive agent before the error is thrown, so that it is not used again. */
  async #within<T>(
    timeoutMs: number,
    { answer, method, isOptional }: { answer: Promise<T>; method: string; isOptional: boolean },
  ): Promise<T> {
    const waiting = new AbortController();
    const isLate = sleep(timeoutMs, true, { signal: waiting.signal }).catch(() => false); // it was answered
    try {
      await Promise.race([answer, isLate]);
    } finally {
      waiting.abort();
    }
    if (!(await isLate)) return answer;
    const detail = `no answer to ${method} within ${timeoutMs} ms`;
    if (isOptional) throw new AgentTurnError(agentTypeOf(this.#options), detail);
    await this.stop();
    throw new AgentCrashedError(agentTypeOf(this.#options), detail, [...this.#agent.lastLines]);
  }

  /** Ends a process whose output has ended. Resolves with how it ended. */
  async #endProcess(): Promise<AgentCrashedError> {
    const waiting = new AbortController();
    const grace = sleep(END_GRACE_MS, undefined, { signal: waiting.signal, ref: false }).catch(() => {
      // It has ended on its own.
    });
    await Promise.race([this.#agent.ended, grace]);
    waiting.abort();
    await this.#agent.stop();
    return this.#agent.ended;
  }
}
