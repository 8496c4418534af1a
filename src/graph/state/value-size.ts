import { AtomicError } from "../../contracts/index.ts";
import { UnserializableValueError } from "../errors/update-errors.ts";
import { MAX_DEPTH, TOO_DEEP } from "./codec.ts";

/** The default maximum size of what a node returns, in bytes. */
export const MAX_UPDATE_BYTES = 64 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;

/** The maximum size of a value, and its node. */
export interface SizeLimit {
  readonly nodeId: string;
  /** Approximate size of the value as JSON. */
  readonly maxBytes: number;
}

/** A node's result exceeds the size limit. None of it was stored. */
export class ValueTooLargeError extends AtomicError {
  /** Another attempt would return as much. */
  readonly isRetryable = false;

  constructor(
    readonly nodeId: string,
    /** The path of the largest part. */
    readonly field: string,
    /** Approximate size of the whole. */
    readonly bytes: number,
    readonly maxBytes: number,
  ) {
    super(
      "VALUE_TOO_LARGE",
      `What the node "${nodeId}" left in "${field}" is too large: ${formatSize(bytes)}, and a run keeps at most ${formatSize(maxBytes)} of a node's result. Write it to a file and keep the path, or raise maxUpdateBytes.`,
    );
  }
}

function formatSize(bytes: number): string {
  return bytes < MEBIBYTE ? `${bytes} bytes` : `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}

/**
 * The error for a value over its limit; the value is measured only here. A cycle has no size and is detected here, because
 * it may reach the size limit before the depth limit.
 */
export function tooLarge(value: unknown, path: readonly string[], { nodeId, maxBytes }: SizeLimit): AtomicError {
  const measure = new Measure();
  const bytes = measure.sizeOf(value);
  const names = [...path, ...largestPart(value, measure)];
  if (bytes === Number.POSITIVE_INFINITY) return new UnserializableValueError(names.join("."), TOO_DEEP);
  return new ValueTooLargeError(nodeId, names.length === 0 ? "its result" : names.join("."), bytes, maxBytes);
}

/** The path of the largest field, and within `outputs` of the largest node. */
function largestPart(value: unknown, measure: Measure): readonly string[] {
  const field = measure.largestIn(value);
  if (field === undefined) return [];
  const node = field.name === "outputs" ? measure.largestIn(field.value) : undefined;
  return node === undefined ? [field.name] : [field.name, node.name];
}

/** Measures the approximate length of values as JSON without creating it. Each object is measured once. */
class Measure {
  readonly #sizes = new Map<object, number>();

  /** Infinity for a cycle and for excessive nesting. */
  sizeOf(value: unknown, depth = 0): number {
    if (typeof value !== "object" || value === null || value instanceof Uint8Array) return ownLength(value);
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    // A placeholder while measuring: a reference back to this value is a cycle.
    this.#sizes.set(value, Number.POSITIVE_INFINITY);
    if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
    let bytes = ownLength(value) + keysLength(value);
    for (const part of partsOf(value)) bytes += this.sizeOf(part, depth + 1);
    this.#sizes.set(value, bytes);
    return bytes;
  }

  /** The largest field of an object. */
  largestIn(value: unknown): { readonly name: string; readonly value: unknown } | undefined {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    let largest: { readonly name: string; readonly value: unknown; readonly bytes: number } | undefined;
    for (const [name, part] of Object.entries(value)) {
      const bytes = this.sizeOf(part);
      if (largest === undefined || bytes > largest.bytes) largest = { name, value: part, bytes };
    }
    return largest;
  }
}

function partsOf(value: object): readonly unknown[] {
  if (value instanceof Map) return [...value].flat();
  return value instanceof Set ? [...value] : Object.values(value);
}

/** The size of a value without its parts. */
export function ownLength(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  return value instanceof Uint8Array ? Math.ceil(value.length / 3) * 4 : 4;
}

function keysLength(value: object): number {
  if (value instanceof Map || value instanceof Set || Array.isArray(value)) return 0;
  return Object.keys(value).reduce((total, key) => total + key.length + 4, 0);
}
