import { AtomicError, messageOf } from "../../contracts/index.ts";

/** Code tried to change a state in place, where a resumed run would not find the change (E13). */
export class StateMutationError extends AtomicError {
  constructor(options: ErrorOptions = {}) {
    super(
      "STATE_MUTATION",
      `${options.cause === undefined ? "" : `${messageOf(options.cause)} `}State cannot be changed in place. Change a copy, and return it as \`stateUpdate\`.`,
      options,
    );
  }
}
