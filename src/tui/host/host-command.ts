/** A slash command that the program offers besides the built-in ones. */
export interface HostCommand {
  readonly name: string;
  readonly description: string;
  readonly category: "workflow" | "skill" | "agent" | "command";
  readonly aliases?: readonly string[];
  /** The arguments, as a person reads them: `<prompt> [--verify <command>]`. */
  readonly argumentHint?: string;
  /** The name of an argument that must not be missing. */
  readonly requiredArgument?: string;
  /** Where it comes from, for `/help`. */
  readonly source?: string;
  /** What it does. */
  readonly start: HostCommandStart;
}

/** What a {@link HostCommand} does with its arguments. */
export type HostCommandStart =
  /** Sends a message to the agent, made of the arguments. */
  | {
      readonly type: "message";
      readonly write: (args: string, agentType: string, signal: AbortSignal) => Promise<string>;
    }
  | {
      readonly type: "run";
      /**
       * Checks the arguments before a run is started. Returns what the person asks for instead of a run, such as `--help`.
       *
       * @throws with what is wrong with them
       * @default `start` checks them
       */
      readonly check?: (args: string) => string | undefined;
      /** Starts a run and returns its id. */
      readonly start: (args: string, agentType: string) => Promise<string>;
    };
