import { afterAll, describe, expect, test } from "bun:test";
import { copyFile, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { checkpointerConformance } from "../../testkit/conformance/saver/checkpointer-conformance.ts";
import { graph } from "../builder.ts";
import { JournalCorruptError, JournalReadError, RunLockedError } from "../errors/errors.ts";
import { SaverPlaces } from "../fixtures/saver-places.ts";
import { failing, node, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import { SqliteSaver } from "./sqlite-saver.ts";

const places = new SaverPlaces();
afterAll(() => places.cleanUp());

async function databasePath(): Promise<string> {
  return join(await places.createFolder(), "runs.db");
}

checkpointerConformance("SqliteSaver", () => places.create("sqlite"), {
  startProcess: (saver, action, runId) => places.startProcess(saver, action, runId),
});
checkpointerConformance("SqliteSaver with on-checkpoint", async () => {
  return new SqliteSaver({ path: await databasePath(), durability: "on-checkpoint" });
});

describe("SqliteSaver", () => {
  test("makes the folder of its database, for the owner only", async () => {
    const path = join(await databasePath(), "../deep/er/runs.db");
    await new SqliteSaver({ path }).list();
    expect((await stat(join(path, ".."))).mode & 0o777).toBe(0o700);
  });

  test("keeps its files for the owner only, while it writes too", async () => {
    const path = await databasePath();
    const journal = await new SqliteSaver({ path }).open("r", "create");
    await journal.append({ sequence: 1, kind: "record", body: "{}" });
    const files = (await readdir(join(path, ".."))).filter((name) => /^runs\.db(-\w+)?$/.test(name));
    const modes = await Promise.all(files.map(async (name) => (await stat(join(path, "..", name))).mode & 0o777));
    await journal.close();
    expect({ files: files.sort(), modes }).toEqual({
      files: ["runs.db", "runs.db-shm", "runs.db-wal"],
      modes: [0o600, 0o600, 0o600],
    });
  });

  test("leaves nothing beside its database", async () => {
    const path = await databasePath();
    const saver = new SqliteSaver({ path });
    const journal = await saver.open("r", "create");
    await journal.append({ sequence: 1, kind: "record", body: "{}" });
    await journal.close();
    await saver.isHeld("r");
    await saver.truncate("r", 1);
    expect(await readdir(join(path, ".."))).toEqual(["runs.db"]);
  });

  test.each([
    { owner: "laptop (process 7)", text: "laptop (process 7)" },
    { owner: undefined, text: `process ${process.pid} on ${hostname()}` },
  ])("names the owner of a held run: $text", async ({ owner, text }) => {
    const path = await databasePath();
    const journal = await new SqliteSaver(owner === undefined ? { path } : { path, owner }).open("r", "create");
    const error = await rejectionOf(new SqliteSaver({ path, owner: "me" }).open("r", "resume"));
    expect(error).toBeInstanceOf(RunLockedError);
    expect(error.message).toBe(
      `The run "r" is being executed by ${text}. Wait for it to end or cancel it, then try again.`,
    );
    await journal.close();
  });
});

describe("the write-ahead log", () => {
  async function writeEntries(durability: "every-step" | "on-checkpoint", count: number) {
    const path = await databasePath();
    const journal = await new SqliteSaver({ path, durability }).open("r", "create");
    const entries = Array.from({ length: count }, (_, index) => {
      return { sequence: index + 1, kind: "record", body: `{"number":${index}}` } as const;
    });
    for (const entry of entries) await journal.append(entry);
    return { path, journal, entries };
  }

  test.each([
    { durability: "every-step", count: 1, bytes: 262_144 },
    { durability: "every-step", count: 300, bytes: 262_144 },
    // A header, what made the tables, and the run with its first entry.
    { durability: "on-checkpoint", count: 1, bytes: 32 + 7 * 4_120 },
  ] as const)("of $durability takes $bytes bytes after $count entries", async ({ durability, count, bytes }) => {
    const { path, journal } = await writeEntries(durability, count);
    expect((await stat(`${path}-wal`)).size).toBe(bytes);
    await journal.close();
  });

  test("that was cut off anywhere has the entries up to there", async () => {
    const { path, journal, entries } = await writeEntries("every-step", 5);
    const log = await readFile(`${path}-wal`);
    const counts: number[] = [];
    for (let length = 0; length < 64 * 1_024; length += 1_021) {
      const copy = await databasePath();
      await copyFile(path, copy);
      await writeFile(`${copy}-wal`, log.subarray(0, length));
      const read = await new SqliteSaver({ path: copy }).read("r").catch(() => []);
      expect(read).toEqual(entries.slice(0, read.length));
      counts.push(read.length);
    }
    await journal.close();
    expect(counts).toEqual(counts.toSorted());
    expect([...new Set(counts)]).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

test.if(process.platform === "linux")("a list of runs does not give up the locks of one that is executed", async () => {
  const path = await databasePath();
  const saver = new SqliteSaver({ path });
  const journal = await saver.open("r", "create");
  const lockCount = async () => {
    const { ino } = await stat(path);
    return (await readFile("/proc/locks", "utf8")).split("\n").filter((line) => line.includes(`:${ino} `)).length;
  };
  const before = await lockCount();
  await saver.list();
  expect([before, await lockCount()]).toEqual([1, 1]);
  await journal.close();
});

describe("a damaged journal", () => {
  /** A run of four entries: begun, a, b, end (failed at x). */
  async function damaged(sql: string) {
    const path = await databasePath();
    const saver = new SqliteSaver({ path });
    const compiled = graph(TestState)
      .start([node("a"), node("b"), failing("x")])
      .end()
      .compile({ checkpointer: saver });
    await compiled.run({}, { runId: "r" });
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    return { saver, compiled };
  }

  test.each([
    {
      title: "one letter is another",
      sql: `UPDATE entries SET body = replace(body, '"b"', '"c"') WHERE position & 4294967295 = 3`,
      sequence: 3,
      detail: "its checksum does not match",
    },
    {
      title: "the end of an entry is missing",
      sql: "UPDATE entries SET body = substr(body, 1, length(body) - 5) WHERE position & 4294967295 = 4",
      sequence: 4,
      detail: "its checksum does not match",
    },
    {
      title: "an entry is missing",
      sql: "DELETE FROM entries WHERE position & 4294967295 = 2",
      sequence: 2,
      detail: "the entry is missing",
    },
    {
      title: "the last entry is missing",
      sql: "DELETE FROM entries WHERE position & 4294967295 = 4",
      sequence: 4,
      detail: "the entry is missing",
    },
    {
      title: "the kind of an entry is another",
      sql: "UPDATE entries SET kind = 'recore' WHERE position & 4294967295 = 3",
      sequence: 3,
      detail: "its checksum does not match",
    },
    {
      title: "a table is gone",
      sql: "DROP TABLE entries",
      sequence: 1,
      detail: "no such table: entries",
    },
    {
      title: "the database is of a later version",
      sql: "PRAGMA user_version = 7",
      sequence: 1,
      detail: "its layout is 7, this version of Atomic reads 2",
    },
    {
      title: "the beginning is missing",
      sql: "DELETE FROM entries WHERE position & 4294967295 = 1",
      sequence: 1,
      detail: "the entry is missing",
    },
  ])("is rejected when $title", async ({ sql, sequence, detail }) => {
    const { saver, compiled } = await damaged(sql);
    const expected = new JournalCorruptError("r", sequence, detail);
    expect(expected.message).toBe(
      `The journal of the run "r" is damaged at entry ${sequence} (${detail}). ${
        sequence === 1
          ? "No entry before it is intact. Restore the journal from a backup, or start a new run."
          : `The entries up to ${sequence - 1} are intact. Call truncate("r", ${sequence - 1}) of the checkpointer, which drops what follows, then resume the run.`
      }`,
    );
    expect((await rejectionOf(saver.read("r"))).message).toBe(expected.message);
    expect((await rejectionOf(compiled.resume("r"))).message).toBe(expected.message);
    // The run is not held by the failed attempt.
    expect(await rejectionOf(compiled.resume("r"))).toBeInstanceOf(JournalCorruptError);
  });

  test("does not block other runs", async () => {
    const { compiled } = await damaged("DELETE FROM entries WHERE position & 4294967295 = 2");
    expect((await compiled.run({}, { runId: "other" })).state.log).toEqual(["a", "b"]);
  });

  test("continues from its last good entry", async () => {
    const { saver, compiled } = await damaged("UPDATE entries SET body = '' WHERE position & 4294967295 = 3");
    const error = await rejectionOf(compiled.resume("r"));
    expect(error).toBeInstanceOf(JournalCorruptError);
    // The cast is true: the line above has looked.
    await saver.truncate("r", (error as JournalCorruptError).lastGoodSequence);
    const result = await compiled.resume("r");
    expect([result.status, result.state.log]).toEqual(["failed", ["a", "b"]]);
  });

  test("whose list cannot be read is no empty list", async () => {
    const { saver } = await damaged("DROP TABLE runs");
    const error = await rejectionOf(saver.list());
    expect(error).toBeInstanceOf(JournalReadError);
    expect(error.message).toBe(
      "The list of runs cannot be read (no such table: runs). Repair the access, then try again.",
    );
  });
});
