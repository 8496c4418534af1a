import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";
import { FLAKY, GATE, GREET, TWO_QUESTIONS } from "../fixtures/workflow-files.ts";

let environment: TestEnvironment;
let ids: { readonly greet: string; readonly flaky: string; readonly gate: string };

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ gate: GATE, flaky: FLAKY, greet: GREET, two: TWO_QUESTIONS });
  const start = async (name: string): Promise<string> =>
    runIdIn((await environment.atomic("run", name, "--agent", "scripted")).stdout);
  ids = { greet: await start("greet"), flaky: await start("flaky"), gate: await start("gate") };
});
afterEach(() => environment.remove());

async function listed(...flags: readonly string[]): Promise<readonly string[]> {
  const { exitCode, stdout, stderr } = await environment.atomic("runs", "list", "--json", ...flags);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return JSON.parse(stdout).map(({ runId }: { readonly runId: string }) => runId);
}

test("runs are chosen by their status, their questions and their number", async () => {
  expect(await listed()).toEqual([ids.gate, ids.flaky, ids.greet]);
  expect(await listed("--status", "failed")).toEqual([ids.flaky]);
  expect(await listed("--status", "failed", "--status", "completed")).toEqual([ids.flaky, ids.greet]);
  expect(await listed("--status", "failed", "--status", "completed", "--limit", "1")).toEqual([ids.flaky]);
  expect(await listed("--limit", "2")).toEqual([ids.gate, ids.flaky]);
  expect(await listed("--waiting")).toEqual([ids.gate]);
  expect(await listed("--waiting", "--status", "completed")).toEqual([]);
});

test("runs are chosen by their project", async () => {
  expect(await listed("--project")).toHaveLength(3);
  expect(await listed("--project", ".")).toHaveLength(3);
  const other = join(environment.root, "other");
  await mkdir(other);
  expect(await listed("--project", other)).toEqual([]);
  expect((await environment.atomic("runs", "list", "--project", other)).stdout).toBe(
    "No run matches. List all runs: atomic runs list\n",
  );
  const missing = await environment.atomic("runs", "list", "--project", "gone");
  expect([missing.exitCode, missing.stdout, missing.stderr.replace(/\n\s+/g, " ")]).toEqual([
    2,
    "",
    `error: --project names no folder: ${environment.project}/gone. List all runs: atomic runs list (USAGE)\n`,
  ]);
});

test.each([
  {
    flags: ["--status", "faild"],
    text: 'No run has the status "faild". Did you mean "failed"? Statuses: running, pausing, suspended, paused, interrupted, completed, failed, cancelled, not started.',
  },
  { flags: ["--limit", "0"], text: '--limit takes a whole number from 1, and not "0".' },
  { flags: ["--limit", "ten"], text: '--limit takes a whole number from 1, and not "ten".' },
])("wrong options are an error: $flags", async ({ flags, text }) => {
  const { exitCode, stdout, stderr } = await environment.atomic("runs", "list", ...flags);
  expect([exitCode, stdout, stderr.replace(/\n\s+/g, " ")]).toEqual([2, "", `error: ${text} (USAGE)\n`]);
});
