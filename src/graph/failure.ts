import { AtomicError, messageOf, type RunErrorInfo } from "../contracts/index.ts";
import type { RecordedError } from "./journal-record.ts";
import type { Failure } from "./run-state.ts";

/** Whatever was thrown as an error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** An error as the journal keeps it; errors that are not Atomic's own get the code of where they came from. */
export function recordedErrorOf(thrown: unknown, foreignCode = "NODE_FAILED"): RecordedError {
  return { code: thrown instanceof AtomicError ? thrown.code : foreignCode, message: messageOf(thrown) };
}

/** A failure as events and results carry it. */
export function errorInfoOf({ code, message, nodeId }: Failure): RunErrorInfo {
  return { code, message, ...(nodeId === "" ? {} : { nodeId }) };
}
