import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { graph } from "../builder.ts";
import { toolNode } from "../nodes/tools/tool-node.ts";
import { DefaultSaver } from "./default-saver.ts";
import { loadSqlite, SqliteMissingError } from "./load-sqlite.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "atomic-saver-"));
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

test.each([
  { hasSqlite: true, expected: "journal.db" },
  { hasSqlite: false, expected: "run1.journal" },
])("journals are kept in SQLite where there is one, else in files: $hasSqlite", async ({ hasSqlite, expected }) => {
  const checkpointer = new DefaultSaver({ directory, hasSqlite: async () => hasSqlite });
  const workflow = graph()
    .start(toolNode({ id: "work", execute: () => 1 }))
    .end()
    .compile({ checkpointer });
  await workflow.run({}, { runId: "run1" });
  expect(await readdir(directory)).toContain(expected);
  expect(await checkpointer.list()).toEqual(["run1"]);
});

test("a journal that was begun in SQLite is looked for there only", async () => {
  await writeFile(join(directory, "journal.db"), "");
  expect(await new DefaultSaver({ directory, hasSqlite: async () => false }).list()).toEqual([]);
  expect(await readdir(directory)).toContain("journal.db");
});

test("a runtime without SQLite is reported as such, not as a damaged journal", async () => {
  const cause = Object.assign(new Error("No such built-in module: node:sqlite"), {
    code: "ERR_UNKNOWN_BUILTIN_MODULE",
  });
  const loading = loadSqlite("/runs/journal.db", () => Promise.reject(cause));
  await expect(loading).rejects.toBeInstanceOf(SqliteMissingError);
  await expect(loading).rejects.toMatchObject({
    code: "SQLITE_MISSING",
    message:
      '"/runs/journal.db" is an SQLite database, and this version of Node has no node:sqlite. Use Node 22.13 or newer, or Bun; or keep journals in files, with a FileSaver.',
    cause,
  });
});
