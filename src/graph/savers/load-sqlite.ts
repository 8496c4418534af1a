import { AtomicError } from "../../contracts/index.ts";

/** The SQLite module. */
export type SqliteModule = typeof import("node:sqlite");

/** The JavaScript runtime has no SQLite. The journals are not affected. */
export class SqliteMissingError extends AtomicError {
  constructor(path: string, options: { readonly cause: unknown }) {
    super(
      "SQLITE_MISSING",
      `"${path}" is an SQLite database, and this version of Node has no node:sqlite. Use Node 22.13 or newer, or Bun; or keep journals in files, with a FileSaver.`,
      options,
    );
  }
}

/**
 * Imports SQLite for the database at `path`. The import is dynamic because Node 20 has no SQLite and must still load the
 * engine.
 *
 * @throws SqliteMissingError
 */
export async function loadSqlite(
  path: string,
  load: () => Promise<SqliteModule> = () => import("node:sqlite"),
): Promise<SqliteModule> {
  try {
    return await load();
  } catch (cause) {
    throw new SqliteMissingError(path, { cause });
  }
}

/** Whether the JavaScript runtime has SQLite. */
export async function hasSqlite(): Promise<boolean> {
  return await loadSqlite("").then(
    () => true,
    () => false,
  );
}
