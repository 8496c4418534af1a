import { AtomicError, nearestName } from "../../contracts/index.ts";

/** An update names a field that the state does not declare. */
export class UnknownStateFieldError extends AtomicError {
  /** Another attempt would come to the same, and its agent would be paid again. */
  readonly isRetryable = false;

  constructor(
    readonly field: string,
    readonly knownFields: readonly string[],
  ) {
    const nearest = nearestName(field, knownFields);
    const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
    super(
      "STATE_UNKNOWN_FIELD",
      `The state has no field "${field}".${hint} Its fields: ${knownFields.join(", ")}. Declare it in defineState() or correct the update.`,
    );
  }
}

/** Two parallel branches gave a field without a reducer different values. */
export class ConcurrentUpdateError extends AtomicError {
  constructor(
    readonly field: string,
    readonly branches: readonly [string, string],
    readonly forkId: string,
  ) {
    super(
      "STATE_CONCURRENT_UPDATE",
      `The branches "${branches[0]}" and "${branches[1]}" of "${forkId}" both set "${field}", to different values. Give the field a reducer, or give "${forkId}" a merge function.`,
    );
  }
}

/** A value in an update cannot be stored. */
export class UnserializableValueError extends AtomicError {
  /** Another attempt would come to the same, and its agent would be paid again. */
  readonly isRetryable = false;

  constructor(
    readonly path: string,
    readonly kind: string,
  ) {
    super(
      "STATE_UNSERIALIZABLE",
      `The value at "${path}" is ${kind}, which a journal cannot keep. Store plain data (JSON, Date, Map, Set, bigint, Uint8Array) instead.`,
    );
  }
}
