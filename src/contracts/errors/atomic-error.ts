/**
 * The root of every error Atomic throws on purpose. A caller acts on `code`, which never changes meaning; a person
 * reads `message`, which says what happened, to which thing, and what to try next.
 */
export class AtomicError extends Error {
  /** Stable identifier such as `GRAPH_INVALID`, safe to compare and to document. */
  readonly code: string;

  constructor(code: string, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}
