import { afterEach, beforeEach, expect, test } from "bun:test";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileLockTimeoutError } from "./with-file-lock.ts";
import { withSharedLock } from "./with-shared-lock.ts";

let folder = "";
let lock = "";
const started: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-lock-"));
  lock = join(folder, "lock");
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/** Starts a process that takes the lock, starts a child in that way, and is killed. Returns the child's id. */
async function leaveChild(kind: "plain" | "supervised"): Promise<number> {
  const script = join(import.meta.dirname, "fixtures/shared-lock-process.ts");
  const holder = spawn(process.execPath, [script, lock, kind], { stdio: ["ignore", "pipe", "inherit"] });
  started.push(holder);
  const [line] = await once(holder.stdout, "data");
  holder.kill("SIGKILL");
  await once(holder, "exit");
  return Number(line);
}

/** Whether a process exists and has not ended; nobody may have collected one that has. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return /^[^Z\s]/.test(stdout);
}

test("the lock of a killed process is free when its child ends, not earlier", async () => {
  const pid = await leaveChild("plain");
  await expect(withSharedLock(lock, async () => {}, { timeoutMs: 50 })).rejects.toThrow(FileLockTimeoutError);
  const waiting = withSharedLock(lock, async () => "mine");
  process.kill(pid, "SIGKILL");
  expect(await waiting).toBe("mine");
});

test("the lock of a killed process is free when the supervisor has ended its children", async () => {
  const pid = await leaveChild("supervised");
  expect(await withSharedLock(lock, async () => "mine")).toBe("mine");
  expect(isRunning(pid)).toBe(false);
});

test("a child that does not inherit the descriptor does not hold the lock", async () => {
  await withSharedLock(lock, async () => void started.push(spawn("sleep", ["60"])));
  // Not at once: Linux continues the parent of a new program a moment before it closes the program's descriptors.
  expect(await withSharedLock(lock, async () => "mine", { timeoutMs: 20_000 })).toBe("mine");
});

test("parts of one process wait for each other, also for a discarded lock", async () => {
  let atWork = 0;
  const work = async (turn: number) => {
    await withSharedLock(lock, async ({ discard }) => {
      expect(++atWork).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 1));
      atWork--;
      if (turn % 3 === 0) await discard();
    });
  };
  await Promise.all(Array.from({ length: 30 }, (_, turn) => work(turn)));
  await withSharedLock(lock, async ({ discard }) => await discard());
  expect(await readdir(folder)).toEqual([".guard"]);
});

test("a wait ends with the timeout, or with the signal's reason", async () => {
  await withSharedLock(lock, async () => {
    await expect(withSharedLock(lock, async () => {}, { timeoutMs: 20 })).rejects.toThrow(FileLockTimeoutError);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(withSharedLock(lock, async () => {}, { signal })).rejects.toThrow("enough");
  });
});
