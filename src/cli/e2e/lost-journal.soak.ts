import { afterEach, beforeEach, expect, test } from "bun:test";
import { copyFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Sandbox } from "./fixtures/sandbox.ts";

const GATE = `import { annotation, defineState, graph, toolNode, waitNode } from "@bastani/atomic/graph";
export default () => graph()
  .start(toolNode({ id: "work", execute: () => { console.log("the work is done"); } }))
  .then(waitNode({ id: "gate", prompt: "Ship it?" }))
  .end().compile();
`;

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
  await sandbox.write({ ".atomic/workflows/gate.ts": GATE });
  await sandbox.atomic("trust", "add");
});

afterEach(async () => {
  await sandbox.remove();
});

async function begin(): Promise<{ readonly runId: string; readonly folder: string }> {
  const { stdout } = await sandbox.atomic("run", "gate");
  const runId = /run ([0-9a-z]{12})/.exec(stdout)?.[1] ?? "";
  return { runId, folder: join(sandbox.atomicHome, "workflows/sessions", runId) };
}

async function removeJournal(folder: string): Promise<void> {
  for (const name of ["journal.db", "journal.db-wal", "journal.db-shm"]) await rm(join(folder, name), { force: true });
}

test.each([
  { title: "missing", lose: removeJournal },
  {
    title: "empty",
    lose: async (folder: string) => {
      await removeJournal(folder);
      await writeFile(join(folder, "journal.db"), "");
    },
  },
  {
    title: "another run's",
    lose: async (folder: string) => {
      const other = await begin();
      await removeJournal(folder);
      await copyFile(join(other.folder, "journal.db"), join(folder, "journal.db"));
    },
  },
])("a run whose journal is $title is not begun again without a word", async ({ lose }) => {
  const { runId, folder } = await begin();
  await lose(folder);
  const words = [
    `The journal of the run "${runId}" in ${folder} is missing, empty, or belongs to another run.`,
    "Restore the right one: the run cannot be resumed without it.",
    "To repeat everything, start a new run.",
  ];
  const refused = {
    exitCode: 1,
    stdout: "",
    stderr: `error: ${words.join("\n       ")}\n       (JOURNAL_MISSING)\n`,
  };
  for (const args of [
    ["runs", "resume", runId],
    ["runs", "answer", runId, "yes"],
  ]) {
    const { exitCode, stdout, stderr } = await sandbox.atomic(...args);
    expect({ exitCode, stdout, stderr }).toEqual(refused);
  }
  expect((await sandbox.atomic("runs", "show", runId)).stdout).toEndWith(`\n\n${words.join(" ")}\n`);
});

test("a run that was killed before its first step still begins", async () => {
  const { runId, folder } = await begin();
  await removeJournal(folder);
  const path = join(folder, "session.json");
  const { hasBegun, nodeHistory: _nodes, ...session } = await Bun.file(path).json();
  await writeFile(path, JSON.stringify({ ...session, status: "running" }));
  expect(hasBegun).toBe(true);
  expect(await sandbox.atomic("runs", "resume", runId)).toMatchObject({ exitCode: 3 });
});
