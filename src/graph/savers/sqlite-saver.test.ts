import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { checkpointerConformance } from "../../testkit/conformance/checkpointer-conformance.ts";
import { graph } from "../builder.ts";
import { JournalCorruptError, RunLockedError } from "../errors.ts";
import { counterGraph } from "../fixtures/saver-process.ts";
import { failing, node, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import { SqliteSaver } from "./sqlite-saver.ts";

const folders: string[] = [];
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "close");
  }
});
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function databasePath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "atomic-sqlite-"));
  folders.push(folder);
  return join(folder, "runs.db");
}

/** A process of its own at the same database. */
function startProcess(action: string, path: string, runId: string) {
  const script = join(import.meta.dirname, "../fixtures/saver-process.ts");
  const child = spawn(process.execPath, [script, action, path, runId], { stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const line = await lines.next();
    return line.done ? undefined : JSON.parse(line.value);
  };
  return { child, next };
}

checkpointerConformance("SqliteSaver", async () => new SqliteSaver({ path: await databasePath() }));
checkpointerConformance("SqliteSaver with on-checkpoint", async () => {
  return new SqliteSaver({ path: await databasePath(), durability: "on-checkpoint" });
});

describe("SqliteSaver", () => {
  test("makes the folder of its database, for the owner only", async () => {
    const path = join(await databasePath(), "../deep/er/runs.db");
    await new SqliteSaver({ path }).list();
    expect((await stat(join(path, ".."))).mode & 0o777).toBe(0o700);
  });

  test.each([
    { owner: "laptop (process 7)", text: "laptop (process 7)" },
    { owner: undefined, text: "another process" },
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

  test("refuses a run that another process holds, and is free again when that process is killed", async () => {
    const path = await databasePath();
    const { child, next } = startProcess("hold", path, "r");
    expect(await next()).toEqual({ type: "held" });
    const saver = new SqliteSaver({ path });
    expect(await rejectionOf(saver.open("r", "resume"))).toEqual(new RunLockedError("r", "hold process"));
    expect((await saver.read("r")).map(({ body }) => body)).toEqual(["held"]);
    child.kill("SIGKILL");
    await once(child, "close");
    const journal = await saver.open("r", "resume");
    await journal.append({ sequence: 2, kind: "record", body: "mine" });
    await journal.close();
    expect((await saver.read("r")).map(({ body }) => body)).toEqual(["held", "mine"]);
  });

  test("lets exactly one of several processes resume a run", async () => {
    const path = await databasePath();
    const saver = new SqliteSaver({ path });
    await counterGraph().run({}, { runId: "r", checkpointer: saver, signal: AbortSignal.abort() });
    const processes = [1, 2, 3].map(() => startProcess("resume", path, "r"));
    expect(await Promise.all(processes.map(({ next }) => next()))).toEqual(processes.map(() => ({ type: "ready" })));
    for (const { child } of processes) child.stdin?.end("go\n");
    const results = await Promise.all(processes.map(({ next }) => next()));
    const won = { type: "ended", status: "completed", log: ["attempt 2"] };
    const lost = { type: "error", name: "RunLockedError", message: expect.stringContaining("resume process") };
    expect(results.filter((result) => Bun.deepEquals(result, won))).toHaveLength(1);
    expect(results.filter((result) => !Bun.deepEquals(result, won))).toEqual([lost, lost]);
  });

  test("takes processes that open a new database at the same moment", async () => {
    const path = await databasePath();
    const processes = [1, 2, 3, 4].map((index) => startProcess("open", path, `r${index}`));
    expect(await Promise.all(processes.map(({ next }) => next()))).toEqual(processes.map(() => ({ type: "opened" })));
    expect((await new SqliteSaver({ path }).list()).toSorted()).toEqual(["r1", "r2", "r3", "r4"]);
  });
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
      sql: `UPDATE entries SET body = replace(body, '"b"', '"c"') WHERE sequence = 3`,
      sequence: 3,
      detail: "its checksum does not match",
    },
    {
      title: "the end of an entry is missing",
      sql: "UPDATE entries SET body = substr(body, 1, length(body) - 5) WHERE sequence = 4",
      sequence: 4,
      detail: "its checksum does not match",
    },
    {
      title: "an entry is missing",
      sql: "DELETE FROM entries WHERE sequence = 2",
      sequence: 2,
      detail: "the entry is missing",
    },
    {
      title: "the beginning is missing",
      sql: "DELETE FROM entries WHERE sequence = 1",
      sequence: 1,
      detail: "the entry is missing",
    },
  ])("is refused when $title", async ({ sql, sequence, detail }) => {
    const { saver, compiled } = await damaged(sql);
    const expected = new JournalCorruptError("r", sequence, detail);
    expect(expected.message).toBe(
      `The journal of the run "r" is damaged at entry ${sequence} (${detail}). The entries before it are intact.`,
    );
    expect(await rejectionOf(saver.read("r"))).toEqual(expected);
    expect(await rejectionOf(compiled.resume("r"))).toEqual(expected);
    // The run is not held by the failed attempt.
    expect(await rejectionOf(compiled.resume("r"))).toEqual(expected);
  });

  test("does not keep other runs from going on", async () => {
    const { compiled } = await damaged("DELETE FROM entries WHERE sequence = 2");
    expect((await compiled.run({}, { runId: "other" })).state.log).toEqual(["a", "b"]);
  });
});
