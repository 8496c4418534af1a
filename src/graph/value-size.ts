import { AtomicError } from "../contracts/index.ts";

/** How large what a node leaves may be, in bytes, when nobody says otherwise. */
export const MAX_UPDATE_BYTES = 64 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;

/** How large a value may be, and whose it is. */
export interface SizeLimit {
  readonly nodeId: string;
  /** Of the value as JSON, about. */
  readonly maxBytes: number;
}

/** What a node left is larger than a run keeps. Nothing of it was kept. */
export class ValueTooLargeError extends AtomicError {
  /** Another attempt would leave as much. */
  readonly isRetryable = false;

  constructor(
    readonly nodeId: string,
    /** The names that lead to the largest part. */
    readonly field: string,
    /** Of the whole, about. */
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

/** What is thrown for a value that is larger than its limit; it is measured only now. */
export function tooLarge(value: unknown, path: readonly string[], { nodeId, maxBytes }: SizeLimit): ValueTooLargeError {
  const field = [...path, ...largestPart(value)].join(".");
  return new ValueTooLargeError(nodeId, field === "" ? "its result" : field, measure(value), maxBytes);
}

/** The field, and within the outputs of nodes the node, that has most of a value. */
function largestPart(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  let largest: readonly [name: string, value: unknown] | undefined;
  for (const entry of Object.entries(value)) {
    if (largest === undefined || measure(entry[1]) > measure(largest[1])) largest = entry;
  }
  if (largest === undefined) return [];
  const [name, part] = largest;
  return name === "outputs" ? [name, ...largestPart(part)] : [name];
}

/** How long the JSON of a value is, about, without making it. */
function measure(value: unknown): number {
  let bytes = 0;
  const left: unknown[] = [value];
  for (let each = left.pop(); each !== undefined || left.length > 0; each = left.pop()) {
    bytes += ownLength(each);
    if (typeof each !== "object" || each === null || each instanceof Uint8Array) continue;
    const parts = each instanceof Map ? [...each].flat() : each instanceof Set ? [...each] : Object.values(each);
    if (!(each instanceof Map || each instanceof Set || Array.isArray(each))) bytes += keysLength(each);
    for (const part of parts) left.push(part);
  }
  return bytes;
}

/** What a value adds by itself, without its parts. */
export function ownLength(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  return value instanceof Uint8Array ? Math.ceil(value.length / 3) * 4 : 4;
}

function keysLength(value: object): number {
  return Object.keys(value).reduce((total, key) => total + key.length + 4, 0);
}
