/** The result of a check. */
export interface CheckOutcome {
  /** One line each; empty when the check passes. */
  readonly problems: readonly string[];
}
