/** A program as it is to be started. */
export interface ProcessStart {
  readonly command: readonly [file: string, ...args: string[]];
  /** The complete environment; nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** See `AgentProcessOptions.secrets`. @default none */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** A sandbox for one process, which was opened before and is to be released when the process has ended. */
export interface ProcessSandbox {
  /** What is to be started instead, so that the program and all it starts run inside. */
  enclose(start: ProcessStart): ProcessStart;
  /** Takes away what was made for the process, which has ended. Never rejects. Idempotent. */
  release(): Promise<void>;
}
