import { AtomicError, messageOf, messageWithCauses } from "../../contracts/index.ts";

/** Something was thrown where nothing could catch it: in a timer, an event's listener, a promise that nobody awaits. */
export class UncaughtError extends AtomicError {
  constructor(thrown: unknown) {
    const text = messageOf(thrown);
    const causes = messageWithCauses(thrown).slice(text.length);
    super(
      "UNCAUGHT_ERROR",
      `Nothing caught this error: ${text.replace(/\.$/, "")}. Await every promise, and catch what timers and event listeners throw.${causes}`,
      { cause: thrown },
    );
  }
}
