/** An agent that somebody has described, for `agentNode({ agent })` and sub-agents. */
export interface AgentDefinition {
  readonly name: string;
  readonly description?: string;
  /** Its system prompt. */
  readonly prompt: string;
  /** In the spelling of the agent that plays it. `inherit`, like none, means the run's. */
  readonly model?: string;
  /** The model for each agent that may play it, by the agent's type, where a node names that agent. @default `model` */
  readonly models?: Readonly<Record<string, string>>;
  /** The only kinds of tools it may use, each by the name of a tool. @default whatever the permissions allow */
  readonly tools?: readonly string[];
  /** Which vendor's agent plays it. @default the one the run was started with */
  readonly agentType?: string;
}

/** A prompt that somebody has written down under a name, with places for arguments: a skill or a command. */
export interface PromptDefinition {
  readonly name: string;
  readonly description?: string;
  readonly prompt: string;
  /** The name of the agent that is asked. @default the run's agent, without a role */
  readonly agent?: string;
  /** In the spelling of the agent that is asked. `inherit`, like none, means that agent's. */
  readonly model?: string;
  /** The model for each agent that may be asked, by its type, where a node names that agent. @default `model` */
  readonly models?: Readonly<Record<string, string>>;
  /** The only kinds of tools that may be used, each by the name of a tool. @default those of the agent */
  readonly tools?: readonly string[];
  /** Which vendor's agent is asked. @default that of the agent */
  readonly agentType?: string;
  /** The folder of a skill: its text names files in there. */
  readonly directory?: string;
  /** Makes the message of the arguments, for prompts with rules of their own. @default `$ARGUMENTS` and `$1` to `$9` are replaced */
  expand?(args: string, options: { readonly signal: AbortSignal }): string | Promise<string>;
}
