import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Checkpointer } from "../checkpointer.ts";
import { assertOptions } from "../options/check-call.ts";
import type { OptionTable } from "../options/find-option-problems.ts";
import { aFunction } from "../options/option-checks.ts";
import { LazySaver } from "./lazy-saver.ts";
import { hasSqlite } from "./load-sqlite.ts";
import { FILE_SAVER_OPTIONS } from "./saver-options.ts";

/** Settings of a {@link DefaultSaver}. */
export interface DefaultSaverOptions {
  /** The folder of the journal. */
  readonly directory: string;
  /** As a `SqliteSaver` takes it. */
  readonly owner?: string;
  /** As a `SqliteSaver` takes it. */
  readonly processId?: number;
  /** Whether there is SQLite. @default what the JavaScript runtime has */
  readonly hasSqlite?: () => Promise<boolean>;
}

const { durability: _durability, ...SHARED_OPTIONS } = FILE_SAVER_OPTIONS;
const OPTIONS: OptionTable<DefaultSaverOptions> = { ...SHARED_OPTIONS, hasSqlite: aFunction };

/** Keeps journals in SQLite (`journal.db`), or in files where the JavaScript runtime has no SQLite, as Node 20. */
export class DefaultSaver extends LazySaver {
  /** @throws InvalidOptionsError */
  constructor(options: DefaultSaverOptions) {
    assertOptions("new DefaultSaver", options, { table: OPTIONS });
    const { directory, hasSqlite: isSqliteHere = hasSqlite, ...owner } = options;
    super(async (): Promise<Checkpointer> => {
      const path = join(directory, "journal.db");
      // A journal that another runtime began has to go on where it is.
      if (existsSync(path) || (await isSqliteHere())) {
        const { SqliteStore } = await import("./sqlite-store.ts");
        return new SqliteStore({ path, ...owner });
      }
      const { FileStore } = await import("./file-store.ts");
      return new FileStore({ directory, ...owner });
    });
  }
}
