/** The signals that the UI acts on. */
export type TerminalSignal = "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGQUIT" | "SIGTSTP" | "SIGCONT";

/** The process and its terminal, as the UI needs them. */
export interface TerminalProcess {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes to the terminal before it returns, even while the process ends. Must not throw. */
  writeNow(text: string): void;
  /** The terminal's size now, even before the signal about it has arrived. Undefined without a terminal. */
  readSize(): readonly [columns: number, rows: number] | undefined;
  /** Whether the shell has left the terminal to this process. Touching it otherwise stops the process. True where it is unknown. */
  isInForeground(): boolean;
  /** Writes a line of an error. Must not throw. */
  writeError(line: string): void;
  /** Calls the listener when the process ends, whatever the reason. Only synchronous work counts. */
  onExit(listener: () => void): () => void;
  /** Replaces the signal's default action. Returns a function that stops listening. */
  onSignal(signal: TerminalSignal, listener: () => void): () => void;
  /** Calls the listener with exceptions that nothing caught and with rejections that nothing handled. */
  onFailure(listener: (error: unknown) => void): () => void;
  /** Runs something, and removes the listeners of failures that it added to the process. */
  withoutOwnFailureListeners<Result>(action: () => Promise<Result>): Promise<Result>;
  /** Stops the process and its group until a shell continues it, as Ctrl+Z does without the UI. */
  stop(): void;
  exit(code: number): void;
}
