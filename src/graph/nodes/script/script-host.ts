/** What a run offers to a script that is not in this process. */
export interface ScriptHost {
  /** Aborted when the script has to end. */
  readonly signal: AbortSignal;
  /** Reports what a person should know. */
  warn(message: string): void;
  /** Holds the ends of calls while the script does something with the last one. Returns what ends that. */
  holdCalls(): () => void;
  /**
   * Waits for the calls that the script has made and not awaited.
   * @param idle resolves when the script has done what it does after their ends, which can be other calls
   */
  settle(idle: () => Promise<void>): Promise<void>;
}
