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
   * Runs the work once, from the beginning, as a new run. Gives the final state, the list of the branches' results, or,
   * of a run that asks, whatever its caller has to hold until the answer comes.
   */
  run(): unknown;
  /** Read after the last run. Undefined when nothing is written to a database. */
  storageFacts(): StorageFacts | undefined;
  close(): void | Promise<void>;
}

/** What each engine's file exports as `prepare`. The folder is empty and is removed afterwards. */
export type PrepareCase = (benchCase: BenchCase, folder: string) => Promise<PreparedCase>;

/** What a case without a database has instead of one. */
export const UNSTORED = { storageFacts: () => undefined, close: () => undefined };

const SYNCHRONOUS_NAMES = ["OFF", "NORMAL", "FULL", "EXTRA"];

/** The name of the number that SQLite gives for `PRAGMA synchronous`. */
export function nameSynchronous(value: unknown): string {
  return SYNCHRONOUS_NAMES[Number(value)] ?? String(value);
}
