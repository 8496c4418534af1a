import { LazySaver } from "./lazy-saver.ts";
import type { SqliteSaverOptions } from "./sqlite-store.ts";

/**
 * Keeps journals in an SQLite file. Several processes may use the file at once; each run has one writer (E9), whose
 * claim stands in a folder beside the file until it lets go or its process ends, `kill -9` included. Needs Bun, or Node
 * 22 and later.
 */
export class SqliteSaver extends LazySaver {
  constructor(options: SqliteSaverOptions) {
    super(async () => {
      const { SqliteStore } = await import("./sqlite-store.ts");
      return new SqliteStore(options);
    });
  }
}
