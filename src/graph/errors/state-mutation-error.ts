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
