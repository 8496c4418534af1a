import { AtomicError, messageOf } from "../../contracts/index.ts";
import type { StateRules } from "./state-rules.ts";
import { applyChange, type StateChange, type StateRecord } from "./state-update.ts";

/** A reducer rejected a value that comes from outside the run. */
export class UnfitUpdateError extends AtomicError {
  constructor(
    readonly field: string,
    cause: unknown,
  ) {
    super(
      "STATE_UNFIT_UPDATE",
      `The update of "${field}" does not fit this field, and nothing was changed: ${messageOf(cause)}. Give a value of the field's own type.`,
      { cause },
    );
  }
}

/**
 * Applies an update and discards the result.
 *
 * @throws UnfitUpdateError
 */
export function assertFits(rules: StateRules, state: StateRecord, update: StateChange): void {
  for (const [field, value] of Object.entries(update)) {
    try {
      applyChange(rules, state, { [field]: value }, 0);
    } catch (error) {
      throw error instanceof AtomicError ? error : new UnfitUpdateError(field, error);
    }
  }
}
