/** A program to start. */
export interface ProcessStart {
  readonly command: readonly [file: string, ...args: string[]];
  /** The complete environment; nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** See `AgentProcessOptions.secrets`. @default none */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** An open sandbox for one process. Release it when the process has ended. */
export interface ProcessSandbox {
  /** The command to start instead, so that the program and its child processes run inside. */
  enclose(start: ProcessStart): ProcessStart;
  /** Removes what was created for the ended process. Never rejects. Idempotent. */
  release(): Promise<void>;
}
