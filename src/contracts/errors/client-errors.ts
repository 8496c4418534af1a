import { AtomicError } from "./atomic-error.ts";

/** The agent's program or SDK is not on this machine. */
export class ClientNotInstalledError extends AtomicError {
  constructor(
    readonly agentType: string,
    readonly missing: string,
    options?: { readonly cause?: unknown; readonly remedy?: string },
  ) {
    super(
      "CLIENT_NOT_INSTALLED",
      `The agent "${agentType}" cannot start: ${missing} was not found. ${options?.remedy ?? `Install it, or choose another agent with --agent.`}`,
      options,
    );
  }
}

/** The user's own program of an agent is older than what Atomic can work with. */
export class AgentTooOldError extends AtomicError {
  constructor(
    readonly agentType: string,
    readonly binaryPath: string,
    readonly versions: { readonly found: string; readonly oldest: string },
  ) {
    super(
      "AGENT_TOO_OLD",
      `The program "${binaryPath}" of the agent "${agentType}" has the version ${versions.found}, and Atomic needs ${versions.oldest} or newer. Update it, or run "atomic install ${agentType}".`,
    );
  }
}

/** The user's own program of an agent is of a release that speaks another language than Atomic does. */
export class AgentTooNewError extends AtomicError {
  constructor(
    readonly agentType: string,
    readonly binaryPath: string,
    /** The versions that work are `oldest` and newer ones before `below`. */
    readonly versions: { readonly found: string; readonly oldest: string; readonly below: string },
  ) {
    const { found, oldest, below } = versions;
    super(
      "AGENT_TOO_NEW",
      `The program "${binaryPath}" of the agent "${agentType}" has the version ${found}, and Atomic works with the versions from ${oldest} up to, but not including, ${below}. Run "atomic install ${agentType}", which installs one that works beside your own.`,
    );
  }
}

/** An agent is to run in a sandbox, and there is none: it is not started. */
export class SandboxUnavailableError extends AtomicError {
  constructor(
    readonly agentType: string,
    /** What is missing, each as a person would call it. */
    readonly missing: readonly string[],
    readonly remedy: string,
    options?: { readonly cause?: unknown },
  ) {
    super(
      "SANDBOX_UNAVAILABLE",
      `The agent "${agentType}" was not started, because its sandbox needs ${missing.join(", ")}. ${remedy}`,
      options,
    );
  }
}

/** A setting of a sandbox cannot be used. */
export class SandboxInvalidError extends AtomicError {
  constructor(
    /** The setting, for example `sandbox.readRoots[0]`. */
    readonly field: string,
    /** What is wrong with it, and what is possible. */
    readonly problem: string,
  ) {
    super("SANDBOX_INVALID", `The setting ${field} cannot be used: ${problem}`);
  }
}

/** The vendor, or the user's own endpoint, asked for a login or a key. */
export class NotSignedInError extends AtomicError {
  readonly detail: string | undefined;

  constructor(
    readonly agentType: string,
    readonly loginCommand: string,
    options?: {
      readonly cause?: unknown;
      readonly detail?: string | undefined;
      /** Whether an endpoint of the user's own refused the key, which no login can change. @default false */
      readonly isAtEndpoint?: boolean;
    },
  ) {
    const reason = options?.detail ? ` (${options.detail})` : "";
    super(
      "NOT_SIGNED_IN",
      options?.isAtEndpoint === true
        ? `The endpoint of the agent "${agentType}" refused its key${reason}. Correct "agents.${agentType}.endpoint.apiKey" in ~/.atomic/config.json, or in the project's .atomic/config.json.`
        : `The agent "${agentType}" is not signed in${reason}. Run: ${loginCommand}`,
      options,
    );
    this.detail = options?.detail;
  }
}

/** The agent lacks what was asked of it. */
export class CapabilityMissingError extends AtomicError {
  constructor(
    readonly agentType: string,
    readonly capability: string,
    readonly agentsWithIt: readonly string[],
  ) {
    const elsewhere = agentsWithIt.length > 0 ? `Agents that can: ${agentsWithIt.join(", ")}.` : "No agent here can.";
    super("CAPABILITY_MISSING", `The agent "${agentType}" cannot do "${capability}". ${elsewhere}`);
  }
}

/** The provider refuses more calls for now. */
export class RateLimitedError extends AtomicError {
  constructor(
    readonly agentType: string,
    detail: string,
    /** How long to wait, in milliseconds, when the provider said so. */
    readonly retryAfterMs?: number,
    options?: { readonly cause?: unknown },
  ) {
    const wait = retryAfterMs === undefined ? "Try again later." : `Try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
    super("RATE_LIMITED", `The provider of "${agentType}" limits the rate of calls: ${detail}. ${wait}`, options);
  }
}

/** The conversation no longer fits into the model's context window. */
export class ContextOverflowError extends AtomicError {
  constructor(
    readonly agentType: string,
    detail: string,
    options?: { readonly cause?: unknown },
  ) {
    super(
      "CONTEXT_OVERFLOW",
      `The conversation with "${agentType}" is longer than the model's context window: ${detail}. Summarize the session or start a new one.`,
      options,
    );
  }
}

/** No event came for longer than the watchdog allows. */
export class TurnStalledError extends AtomicError {
  constructor(
    readonly agentType: string,
    readonly stallTimeoutMs: number,
  ) {
    super(
      "TURN_STALLED",
      `The agent "${agentType}" gave no sign of life for ${stallTimeoutMs} ms, so its turn was aborted. Check the model's endpoint, or raise stallTimeoutMs.`,
    );
  }
}

/** The agent's process ended by itself. */
export class AgentCrashedError extends AtomicError {
  constructor(
    readonly agentType: string,
    /** How the process ended, for example `exit code 1` or `signal SIGKILL`. */
    readonly ending: string,
    /** The last lines the process wrote to standard error. */
    readonly lastLines: readonly string[],
  ) {
    const tail = lastLines.length > 0 ? ` Its last words: ${lastLines.join(" | ")}` : "";
    super(
      "AGENT_CRASHED",
      `The process of the agent "${agentType}" ended unexpectedly (${ending}).${tail} Run it again.`,
    );
  }
}

/** The vendor or the model's provider answered with an error that none of the other classes describes. */
export class AgentTurnError extends AtomicError {
  constructor(
    readonly agentType: string,
    detail: string,
    options?: { readonly cause?: unknown; readonly statusCode?: number; readonly isRetryable?: boolean },
  ) {
    super("AGENT_TURN_FAILED", `The turn of the agent "${agentType}" failed: ${detail}`, options);
    this.statusCode = options?.statusCode;
    this.isRetryable = options?.isRetryable ?? true;
  }

  readonly statusCode: number | undefined;
  /** False when the same request would fail again, for example a malformed one. */
  readonly isRetryable: boolean;
}

/** The vendor does not know this session. */
export class UnknownSessionError extends AtomicError {
  constructor(
    readonly agentType: string,
    readonly sessionId: string,
    options?: { readonly cause?: unknown },
  ) {
    super("UNKNOWN_SESSION", `The agent "${agentType}" has no session "${sessionId}". Create a new session.`, options);
  }
}

/** A session was used after it had been destroyed, or its client stopped. */
export class SessionDestroyedError extends AtomicError {
  constructor(readonly sessionId: string) {
    super(
      "SESSION_DESTROYED",
      `The session "${sessionId}" was destroyed. Go on with the conversation in the session that resumeSession() returns.`,
    );
  }
}

/** A turn was asked for while another one runs in the same session. */
export class SessionBusyError extends AtomicError {
  constructor(readonly sessionId: string) {
    super(
      "SESSION_BUSY",
      `The session "${sessionId}" is still answering. Wait for the turn to end or abort() it before sending another message.`,
    );
  }
}

/** A message was meant for a running turn, and none runs. */
export class NoTurnRunningError extends AtomicError {
  constructor(readonly sessionId: string) {
    super(
      "NO_TURN_RUNNING",
      `The session "${sessionId}" has no turn under way that a message could be added to. Use send() instead.`,
    );
  }
}

/** An answer did not fit the JSON Schema it was asked to have, also after it was asked for again. */
export class StructuredOutputError extends AtomicError {
  constructor(
    readonly agentType: string,
    readonly problems: readonly string[],
    readonly content: string,
  ) {
    super(
      "STRUCTURED_OUTPUT_INVALID",
      `The answer of "${agentType}" does not have the required shape: ${problems.join("; ")}. Simplify the schema or use a stronger model.`,
    );
  }
}

/** A tool ran, or was about to, that Atomic's permission gate never saw. The turn is aborted. */
export class UngatedToolCallError extends AtomicError {
  constructor(
    readonly agentType: string,
    readonly toolName: string,
  ) {
    super(
      "UNGATED_TOOL_CALL",
      `The agent "${agentType}" called the tool "${toolName}" without asking Atomic first, so its turn was aborted. Check what the call changed, and report this as a fault of Atomic.`,
    );
  }
}

/** The hook with which Atomic decides about an agent's tool calls is not in place, so no turn may start. */
export class PermissionGateMissingError extends AtomicError {
  constructor(
    readonly agentType: string,
    detail: string,
    options?: { readonly cause?: unknown },
  ) {
    super(
      "PERMISSION_GATE_MISSING",
      `The agent "${agentType}" was not started: Atomic cannot decide about its tool calls (${detail}). Update the agent with "atomic install ${agentType}", or check its settings for something that switches plugins or hooks off.`,
      options,
    );
  }
}

/** A running server or runtime of an agent's was to be joined, and was not. */
export class ServerNotJoinedError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly agentType: string,
    readonly url: string,
    /** Why, and what to do. */
    readonly reason: string,
    options?: { readonly cause?: unknown },
  ) {
    super("SERVER_NOT_JOINED", `The agent "${agentType}" at ${url} was not joined: ${reason}.`, options);
  }
}

/** An agent that offers no hook before its tool calls was asked for without a sandbox or the user's explicit consent. */
export class UngatedAgentError extends AtomicError {
  constructor(readonly agentType: string) {
    super(
      "AGENT_UNGATED",
      `The agent "${agentType}" does not let Atomic decide about each of its tool calls, so it was not started. Start it with --sandbox, or set agents.${agentType}.ungated to true in ~/.atomic/config.json to run it by its own rules.`,
    );
  }
}
