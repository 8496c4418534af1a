import { AtomicError, messageOf } from "../../contracts/index.ts";

/** Code tried to mutate the state in place; a resumed run would not see the change (E13). */
export class StateMutationError extends AtomicError {
  constructor(options: ErrorOptions = {}) {
    super(
      "STATE_MUTATION",
      `${options.cause === undefined ? "" : `${messageOf(options.cause)} `}State cannot be changed in place. Change a copy, and return it as \`stateUpdate\`.`,
      options,
    );
  }
}

/** V8 and JavaScriptCore set neither code nor field on this error, so its text is all there is. */
const FROZEN_VALUE = /read[- ]?only property|not extensible|is not writable|(?:cannot|unable to) delete property/i;

/** Whether an error is the engine's own about a frozen value. */
export function isAboutFrozenValue(error: Error): boolean {
  return error instanceof TypeError && FROZEN_VALUE.test(error.message);
}
