import { assertOptions } from "../options/check-call.ts";
import { LazySaver } from "./lazy-saver.ts";
import { SQLITE_OPTIONS } from "./saver-options.ts";
import type { SqliteSaverOptions } from "./sqlite-store.ts";

/**
 * Keeps journals in an SQLite file. Several processes may use the file at once; each run has one writer (E9), whose
 * claim stands in a folder beside the file until it lets go or its process ends, `kill -9` included. Needs Bun, or Node
 * 22 and later.
 */
export class SqliteSaver extends LazySaver {
  /** @throws InvalidOptionsError */
  constructor(options: SqliteSaverOptions) {
    assertOptions("new SqliteSaver", options, { table: SQLITE_OPTIONS });
    super(async () => {
      const { SqliteStore } = await import("./sqlite-store.ts");
      return new SqliteStore(options);
    });
  }
}
