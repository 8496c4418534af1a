import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import BetterSqlite3, { type Database } from "better-sqlite3";

/** A database for LangGraph's saver. */
export interface OpenDatabase {
  readonly database: Database;
  /** The library that implements it. */
  readonly driver: string;
}

/**
 * Opens a database with better-sqlite3, the library that LangGraph's saver is written for. Where that cannot be loaded
 * (Bun does not load it; on Node it must have been compiled), node:sqlite replaces it, with the same methods.
 */
export async function openDatabase(path: string): Promise<OpenDatabase> {
  try {
    return { database: new BetterSqlite3(path), driver: "better-sqlite3" };
  } catch {
    const { DatabaseSync: Builtin } = await import("node:sqlite");
    const builtin = new Builtin(path);
    // better-sqlite3 is compiled with this as the default of databases in WAL mode.
    builtin.exec("PRAGMA synchronous = NORMAL");
    // The cast is true of all that LangGraph's saver calls: pragma, exec, prepare and transaction.
    return { database: adapt(builtin) as unknown as Database, driver: "node:sqlite, adapted" };
  }
}

function adapt(builtin: DatabaseSync) {
  return {
    exec: (sql: string) => builtin.exec(sql),
    prepare: (sql: string) => adaptStatement(builtin.prepare(sql)),
    pragma: (sql: string) => Object.values(builtin.prepare(`PRAGMA ${sql}`).get() ?? {})[0],
    transaction:
      <Args extends readonly unknown[]>(action: (...args: Args) => void) =>
      (...args: Args): void => {
        builtin.exec("BEGIN");
        try {
          action(...args);
          builtin.exec("COMMIT");
        } catch (error) {
          builtin.exec("ROLLBACK");
          throw error;
        }
      },
    close: () => builtin.close(),
  };
}

/** better-sqlite3 accepts undefined for NULL; node:sqlite rejects it. */
function adaptStatement(statement: StatementSync) {
  type Value = SQLInputValue | undefined;
  const known = (values: readonly Value[]): SQLInputValue[] => values.map((value) => value ?? null);
  return {
    run: (...values: readonly Value[]) => statement.run(...known(values)),
    get: (...values: readonly Value[]) => statement.get(...known(values)),
    all: (...values: readonly Value[]) => statement.all(...known(values)),
  };
}
