import { AtomicError } from "../../contracts/index.ts";

/** The call is wrong; the message says how to correct it. */
export class UsageError extends AtomicError {
  constructor(message: string) {
    super("USAGE", message);
  }
}
