/** The agents that are measured. */
export const AGENTS = ["claude", "opencode", "copilot"] as const;

/** One of {@link AGENTS}. */
export type AgentName = (typeof AGENTS)[number];

/** Whether an agent is driven by its vendor's SDK alone, or by Atomic's client upon it. */
export const VARIANTS = ["direct", "atomic"] as const;

/** One of {@link VARIANTS}. */
export type Variant = (typeof VARIANTS)[number];

/** The folders and the model of an agent, the same for both variants. */
export interface AgentSetup {
  /** The address of the model server, without `/v1`. */
  readonly modelUrl: string;
  /** An empty folder that replaces the user's home. */
  readonly homeFolder: string;
  readonly workFolder: string;
  /** The `PATH` of the agent's process. */
  readonly searchPath: string;
}

/** A session with an agent that has started. */
export interface AgentDriver {
  /** Sends a message, passes each piece of the answer to `onText`, and resolves when the turn has ended. */
  send(message: string, onText: (text: string) => void): Promise<void>;
  /** Ends the session and every process of the agent. */
  stop(): Promise<void>;
}

/** The model's settings for all agents. Its window is so large that no agent compacts. */
export const MODEL = { id: "scripted", contextWindowTokens: 1_000_000, outputTokens: 16_000 } as const;
