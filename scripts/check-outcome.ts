/** What a check found. */
export interface CheckOutcome {
  /** One line each; empty when all is well. */
  readonly problems: readonly string[];
}
