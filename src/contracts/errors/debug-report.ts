/** What is known about a failure, for whoever is to repair it. */
export interface DebugReport {
  readonly errorSummary: string;
  readonly stackTrace: string;
  readonly relevantFiles: readonly string[];
  readonly suggestedFixes: readonly string[];
}
