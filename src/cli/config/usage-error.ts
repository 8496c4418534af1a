import { AtomicError } from "../../contracts/index.ts";

/** The call is wrong; the message says how it is right. */
export class UsageError extends AtomicError {
  constructor(message: string) {
    super("USAGE", message);
  }
}
