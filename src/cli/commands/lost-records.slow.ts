import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";
import { GATE } from "../fixtures/workflow-files.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

/** A waiting run that has written more records than its journal still has: it has 4. */
async function startDamagedRun(count: number): Promise<string> {
  await environment.writeWorkflows({ gate: GATE });
  const runId = runIdIn((await environment.atomic("run", "gate")).stdout);
  const folder = join(environment.store.directoryOf(runId), "journal.db.ends");
  await mkdir(folder);
  const digits = String(4 + count).padStart(10, "0");
  await writeFile(join(folder, runId), `${digits} ${crc32(digits).toString(16).padStart(8, "0")}\n`);
  return runId;
}

const words = (runId: string, lost: string): string =>
  environment.normalise(
    `The end of the journal of the run "${runId}" was damaged: its last ${lost} lost. What was done then is done again.`,
  );

test("a run with lost records is shown with a warning, and resumes with one", async () => {
  const runId = await startDamagedRun(3);
  const { stdout } = await environment.atomic("runs", "show", runId);
  expect(environment.normalise(stdout)).toContain(`\nwarning: ${words(runId, "3 records, after <time> UTC, are")}\n`);
  const json = JSON.parse((await environment.atomic("runs", "show", runId, "--json")).stdout);
  expect(json.losses).toEqual([{ count: 3, after: expect.any(Number) }]);

  const answered = await environment.atomic("runs", "answer", runId, "yes");
  expect(answered.exitCode).toBe(0);
  expect(environment.normalise(answered.stderr)).toContain(words(runId, "3 records, after <time> UTC, are"));
  const later = await environment.atomic("runs", "show", runId);
  expect(environment.normalise(later.stdout)).toContain(words(runId, "3 records, after <time> UTC, are"));
});

test("doctor names runs that have lost records", async () => {
  const runId = await startDamagedRun(1);
  const { stdout } = await environment.atomic("doctor", "--json");
  const checks: readonly { readonly name: string; readonly remedy?: string }[] = JSON.parse(stdout).checks;
  const found = checks.filter(({ name }) => name === "runs");
  expect(found).toEqual([
    {
      name: "runs",
      status: "missing",
      detail: `the end of the journal of run ${runId}`,
      remedy: expect.stringContaining(`Look at the run with: atomic runs show ${runId}. And check the disk.`),
    } as { name: string },
  ]);
  expect(environment.normalise(found[0]?.remedy ?? "")).toStartWith(words(runId, "record, after <time> UTC, is"));
});
