/** What a definition describes: a role, a prompt with a folder of files, a prompt to be called, or rules for files. */
export type EntityType = "agent" | "skill" | "command" | "instructions";

/** Whose format a definition has. */
export type ProviderType = "atomic" | "claude" | "opencode" | "copilot";

/** Where a definition was found; in this order of precedence. */
export type EntityLocation = "project" | "user" | "builtin";

/** A model, whatever the vendor calls it; `inherit` is the model of the run, and any model that is not Claude's. */
export type AgentModel = "opus" | "sonnet" | "haiku" | "inherit";

/** Where an entity comes from. */
export interface EntitySource {
  readonly provider: ProviderType;
  readonly location: EntityLocation;
  /** The file; absent for built-in entities. */
  readonly path?: string;
  /** The folder of the project in which it was found, relative to the root. @default the root */
  readonly folder?: string;
  /** The plugin that brings it, as the vendor names it. */
  readonly plugin?: string;
  /** The folder of that plugin, which its texts call `${CLAUDE_PLUGIN_ROOT}`. */
  readonly pluginDirectory?: string;
  /** Whether the user does not trust the project: then the definition comes after the user's, and runs no commands. */
  readonly isUntrusted?: boolean;
}

/** An agent, a skill, a command or instructions, in one shape for all vendors. */
export interface UnifiedEntity {
  readonly type: EntityType;
  /** As the author wrote it; lookups ignore case. */
  readonly name: string;
  readonly description: string;
  /** Other names it answers to, such as that of its file. */
  readonly aliases?: readonly string[];
  /** The system prompt of an agent, the text of anything else, without the frontmatter. */
  readonly prompt: string;
  /** Names of tools in lower case, without patterns. @default all tools */
  readonly tools?: readonly string[];
  /** The tools as the file has them, such as `Bash(git:*)`. */
  readonly vendorTools?: readonly string[];
  /** Names of tools in lower case that may not be used. */
  readonly deniedTools?: readonly string[];
  /** @default `inherit` */
  readonly model?: AgentModel;
  /** The model as the file has it, such as `anthropic/claude-opus-4-5`. */
  readonly vendorModel?: string;
  /** What may follow the name, for example `[message] | --amend`. */
  readonly argumentHint?: string;
  /** The agent that a command is for. */
  readonly agent?: string;
  /** The folder of a skill, whose files its text names. */
  readonly directory?: string;
  /** All fields of the frontmatter or of the configuration, unknown ones included. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly source: EntitySource;
}

/** All types, in the order of listings. */
export const ENTITY_TYPES = ["agent", "skill", "command", "instructions"] as const satisfies readonly EntityType[];

/** All providers, in their order of precedence within one location. */
export const PROVIDERS = ["atomic", "claude", "opencode", "copilot"] as const satisfies readonly ProviderType[];

/** All locations, in their order of precedence. */
export const LOCATIONS = ["project", "user", "builtin"] as const satisfies readonly EntityLocation[];
