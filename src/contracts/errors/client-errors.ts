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

/** The user's own program of an agent is older than Atomic supports. */
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

/** The user's own program of an agent is too new: its protocol differs from the one that Atomic supports. */
export class AgentTooNewError extends AtomicError {
  constructor(
    readonly agentType: string,
    readonly binaryPath: string,
    /** Supported are `oldest` and newer versions below `below`. */
    readonly versions: { readonly found: string; readonly oldest: string; readonly below: string },
  ) {
    const { found, oldest, below } = versions;
    super(
      "AGENT_TOO_NEW",
      `The program "${binaryPath}" of the agent "${agentType}" has the version ${found}, and Atomic works with the versions from ${oldest} up to, but not including, ${below}. Run "atomic install ${agentType}", which installs one that works beside your own.`,
    );
  }
}

/** An agent requires a sandbox and none is available, so it was not started. */
export class SandboxUnavailableError extends AtomicError {
  constructor(
    readonly agentType: string,
    /** The names of what is missing, for people. */
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

/** A sandbox setting is invalid. */
export class SandboxInvalidError extends AtomicError {
  constructor(
    /** The setting, for example `sandbox.readRoots[0]`. */
    readonly field: string,
    /** What is wrong with it, and what is valid. */
    readonly problem: string,
  ) {
    super("SANDBOX_INVALID", `The setting ${field} cannot be used: ${problem}`);
  }
}

/** The vendor requires a login, or the user's own endpoint rejected its key. */
export class NotSignedInError extends AtomicError {
  readonly detail: string | undefined;
  readonly variable: string | undefined;

  constructor(
    readonly agentType: string,
    readonly loginCommand: string,
    options?: {
      readonly cause?: unknown;
      readonly detail?: string | undefined;
      /** Whether the user's own endpoint rejected its key; signing in does not help. @default false */
      readonly isAtEndpoint?: boolean;
      /** The variable that a key can be in instead of a login. @default none */
      readonly variable?: string | undefined;
    },
  ) {
    const reason = options?.detail ? ` (${options.detail})` : "";
    const run = options?.variable === undefined ? "Run" : `Set ${options.variable}, or run`;
    super(
      "NOT_SIGNED_IN",
      options?.isAtEndpoint === true
        ? `The endpoint of the agent "${agentType}" rejected its key${reason}. Correct "agents.${agentType}.endpoint.apiKey" in ~/.atomic/config.json, or in the project's .atomic/config.json.`
        : `The agent "${agentType}" is not signed in${reason}. ${run}: ${loginCommand}`,
      options,
    );
    this.detail = options?.detail;
    this.variable = options?.variable;
  }
}

/** The agent lacks a required capability. */
export class CapabilityMissingError extends AtomicError {
  /** What an agent with the capability can do, such as `delete a conversation`. Absent when unknown. */
  readonly description: string | undefined;

  constructor(
    readonly agentType: string,
    /** Its name, such as `deleteSession`. */
    readonly capability: string,
    readonly agentsWithIt: readonly string[],
    { description }: { readonly description?: string } = {},
  ) {
    const elsewhere = agentsWithIt.length > 0 ? `Agents that can: ${agentsWithIt.join(", ")}.` : "No agent here can.";
    super("CAPABILITY_MISSING", `The agent "${agentType}" cannot ${description ?? `do "${capability}"`}. ${elsewhere}`);
    this.description = description;
  }
}

/** The provider's rate limit is reached. */
export class RateLimitedError extends AtomicError {
  constructor(
    readonly agentType: string,
    detail: string,
    /** How long to wait, in milliseconds, if the provider says so. */
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

/** The agent rejected one of its own settings files. */
export class AgentConfigInvalidError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly agentType: string,
    readonly path: string,
    /** What is wrong with it. */
    readonly detail: string,
    options?: { readonly cause?: unknown },
  ) {
    super("AGENT_CONFIG_INVALID", `The agent "${agentType}" rejected ${path}: ${detail}. Correct the file.`, options);
  }
}

/** The vendor or the model's provider reported an error that has no class of its own. */
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

/** A session was used after it was destroyed or its client stopped. */
export class SessionDestroyedError extends AtomicError {
  constructor(readonly sessionId: string) {
    super(
      "SESSION_DESTROYED",
      `The session "${sessionId}" was destroyed. Continue the conversation in the session that resumeSession() returns.`,
    );
  }
}

/** A turn was started while another one is in progress in the same session. */
export class SessionBusyError extends AtomicError {
  constructor(readonly sessionId: string) {
    super(
      "SESSION_BUSY",
      `The session "${sessionId}" is still answering. Wait for the turn to end or abort() it before sending another message.`,
    );
  }
}

/** A message was sent to the turn in progress, and there is none. */
export class NoTurnRunningError extends AtomicError {
  constructor(readonly sessionId: string) {
    super(
      "NO_TURN_RUNNING",
      `The session "${sessionId}" has no turn in progress to add a message to. Use send() instead.`,
    );
  }
}

/** An answer did not match the requested JSON Schema, even after the agent was asked for it again. */
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

/** A tool ran, or was about to run, without passing Atomic's permission gate. The turn is aborted. */
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

/** Atomic's hook for an agent's tool calls is not installed, so no turn may start. */
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

/** Atomic did not join an agent's running server or runtime. */
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

/** An agent without a hook for its tool calls needs a sandbox or the user's explicit consent. */
export class UngatedAgentError extends AtomicError {
  constructor(readonly agentType: string) {
    super(
      "AGENT_UNGATED",
      `The agent "${agentType}" does not let Atomic decide about each of its tool calls, so it was not started. Start it with --sandbox, or set agents.${agentType}.ungated to true in ~/.atomic/config.json to run it by its own rules.`,
    );
  }
}
