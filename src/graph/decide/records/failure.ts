import { AtomicError, isText, messageWithCauses, type RunErrorInfo, toError } from "../../../contracts/index.ts";
import { stackOf, userFrameOf } from "../../../system/index.ts";
import { RunLimitError } from "../../errors/errors.ts";
import { given } from "../../errors/given.ts";
import { isAboutFrozenValue, StateMutationError } from "../../errors/state-mutation-error.ts";
import type { RecordedError } from "./journal-record.ts";
import type { Failure } from "./run-state.ts";

/** A thrown value as an error; the engine's error for a frozen value becomes a `StateMutationError`. */
export function toRunError(thrown: unknown): Error {
  const error = toError(thrown);
  return isAboutFrozenValue(error) ? new StateMutationError({ cause: error }) : error;
}

/** The same as an error with `isRetryable: false`: a retry would repeat work that is done, and perhaps paid for. */
export function lastingErrorOf(thrown: unknown): Error {
  const error = toRunError(thrown);
  const marked = Object.isExtensible(error) ? error : (Object.create(error) as Error);
  return Object.defineProperty(marked, "isRetryable", { value: false, configurable: true });
}

/** An error as the journal keeps it; errors that are not Atomic's own get `foreignCode`. */
export function recordedErrorOf(thrown: unknown, foreignCode = "NODE_FAILED"): RecordedError {
  const error = toRunError(thrown);
  const frame = userFrameOf(error);
  return {
    code: error instanceof AtomicError ? error.code : foreignCode,
    message: messageWithCauses(error),
    // A stack without a location in the user's code does not help.
    ...(frame === undefined ? {} : { frame, stack: stackOf(error) }),
    ...(error instanceof RunLimitError ? { bound: error.bound } : {}),
    ...("allowedBy" in error && isText(error.allowedBy) ? { allowedBy: error.allowedBy } : {}),
  };
}

/** A failure as events and results carry it. */
export function errorInfoOf({ code, message, nodeId, frame, stack, bound, allowedBy }: Failure): RunErrorInfo {
  return { code, message, ...(nodeId === "" ? {} : { nodeId }), ...given({ frame, stack, bound, allowedBy }) };
}
