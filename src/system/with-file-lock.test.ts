import { afterEach, beforeEach, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileLockTimeoutError, withFileLock } from "./with-file-lock.ts";

let folder = "";
let lock = "";
let counter = "";
const started: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-lock-"));
  lock = join(folder, "list.json.lock");
  counter = join(folder, "counter");
  await writeFile(counter, "0");
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

function start(times: number): ChildProcess {
  const script = join(import.meta.dirname, "fixtures/lock-process.ts");
  const child = spawn(process.execPath, [script, lock, counter, String(times)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  return child;
}

async function startHolder(): Promise<ChildProcess> {
  const holder = start(0);
  // The cast is true: standard output is a pipe.
  await once(holder.stdout as NonNullable<ChildProcess["stdout"]>, "data");
  return holder;
}

test("processes that change a file at the same moment lose no change", async () => {
  const codes = await Promise.all(Array.from({ length: 6 }, async () => (await once(start(20), "exit"))[0]));
  expect(codes).toEqual([0, 0, 0, 0, 0, 0]);
  expect(await readFile(counter, "utf8")).toBe("120");
});

test("parts of one process lose no change either", async () => {
  const add = (): Promise<void> =>
    withFileLock(lock, async () => writeFile(counter, String(Number(await readFile(counter, "utf8")) + 1)));
  await Promise.all(Array.from({ length: 20 }, add));
  expect(await readFile(counter, "utf8")).toBe("20");
  expect((await stat(lock)).mode & 0o777).toBe(0o600);
});

test("a process that waits gets the lock of one that is killed", async () => {
  const holder = await startHolder();
  const waiting = withFileLock(lock, async () => "mine");
  holder.kill("SIGKILL");
  expect(await waiting).toBe("mine");
});

test("a lock that is not released in time is an error, and not waited for", async () => {
  await startHolder();
  const error = await withFileLock(lock, async () => "mine", { timeoutMs: 50 }).catch((caught: unknown) => caught);
  expect(error).toEqual(new FileLockTimeoutError(lock, 50));
  expect(String(error)).toBe(`Error: another process has locked ${lock} for 0.05 seconds`);
});

test("the lock of work that fails is released", async () => {
  await expect(withFileLock(lock, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await withFileLock(lock, async () => "mine")).toBe("mine");
});
