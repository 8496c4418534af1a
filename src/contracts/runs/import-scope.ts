/**
 * Separates what one file of a workflow registers from what other files register. A file registers when it is imported,
 * which happens once in a process, and its workflow can run many times.
 */
export interface ImportScope {
  /** Imports the file and keeps what it registers meanwhile. Imports wait for each other. */
  load<T>(importFile: () => Promise<T>): Promise<T>;
  /** Registers the same where the file is used now. What is already registered there wins. */
  apply(): void;
}
