/** A described agent, for `agentNode({ agent })` and sub-agents. */
export interface AgentDefinition {
  readonly name: string;
  readonly description?: string;
  /** Its system prompt. */
  readonly prompt: string;
  /** In the notation of its vendor. `inherit`, or none, is the run's model. */
  readonly model?: string;
  /** The model by agent type, for nodes that name an agent. @default `model` */
  readonly models?: Readonly<Record<string, string>>;
  /** The only tools that it may call, as in `AgentSettings.tools`. @default whatever the permissions allow */
  readonly tools?: readonly string[];
  /** The vendor's agent. @default the run's */
  readonly agentType?: string;
}

/** A named prompt with placeholders for arguments: a skill or a command. */
export interface PromptDefinition {
  readonly name: string;
  readonly description?: string;
  readonly prompt: string;
  /** The name of the agent to ask. @default the run's agent, without a role */
  readonly agent?: string;
  /** In the notation of the agent's vendor. `inherit`, or none, is the agent's model. */
  readonly model?: string;
  /** The model by agent type, for nodes that name an agent. @default `model` */
  readonly models?: Readonly<Record<string, string>>;
  /** The only tools that may be called, as in `AgentSettings.tools`. @default those of the agent */
  readonly tools?: readonly string[];
  /** The vendor's agent. @default that of the agent */
  readonly agentType?: string;
  /** The folder of a skill, which contains the files that its text names. */
  readonly directory?: string;
  /** Builds the message from the arguments. @default replaces `$ARGUMENTS` and `$1` to `$9` */
  expand?(args: string, options: { readonly signal: AbortSignal }): string | Promise<string>;
}
