import { AtomicError } from "../../contracts/index.ts";

/** What makes databases. */
export type SqliteModule = typeof import("node:sqlite");

/** The JavaScript runtime has no SQLite. Nothing is wrong with any journal. */
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
 * SQLite for the database at `path`. Imported late: Node 20 has none, and must still be able to load the engine.
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
