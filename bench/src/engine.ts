import type { BenchCase } from "./scenarios.ts";

/** How an engine that writes to SQLite has set its database up. */
export interface StorageFacts {
  /** The library that talks to SQLite. */
  readonly driver: string;
  readonly journalMode: string;
  /** SQLite's `synchronous`: `NORMAL` or `FULL`. */
  readonly synchronous: string;
}

/** A case that is ready to be run. */
export interface PreparedCase {
  /**
   * Runs the work once, as a new run. Returns the final state, the list of the branches' results or, for a run that asks,
   * whatever its caller must keep until the answer arrives.
   */
  run(): unknown;
  /** Read after the last run. Undefined when nothing is written to a database. */
  storageFacts(): StorageFacts | undefined;
  close(): void | Promise<void>;
}

/** What each engine's file exports as `prepare`. The folder is empty and is removed afterwards. */
export type PrepareCase = (benchCase: BenchCase, folder: string) => Promise<PreparedCase>;

/** Replaces the database of a case without one. */
export const UNSTORED = { storageFacts: () => undefined, close: () => undefined };

const SYNCHRONOUS_NAMES = ["OFF", "NORMAL", "FULL", "EXTRA"];

/** The name of a value of SQLite's `PRAGMA synchronous`. */
export function nameSynchronous(value: unknown): string {
  return SYNCHRONOUS_NAMES[Number(value)] ?? String(value);
}
