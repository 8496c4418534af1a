import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { waitUntil } from "../wait-until.ts";
import { isAlive } from "./client-world.ts";

test.skipIf(!existsSync("/proc/self/stat"))(
  "a process that has ended is not alive, though nobody waited for it",
  async () => {
    // What the shell becomes knows nothing of the child that the shell has started.
    const parent = spawn("sh", ["-c", "sleep 0.1 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(parent, "exit");
    try {
      const [line] = await once(createInterface({ input: parent.stdout }), "line");
      const pid = Number(line);
      await waitUntil(() => !isAlive(pid), "the child is still alive");
      expect([existsSync(`/proc/${pid}`), isAlive(parent.pid ?? 0), isAlive(process.pid)]).toEqual([true, true, true]);
    } finally {
      parent.kill();
      await ended;
    }
    expect(isAlive(parent.pid ?? 0)).toBe(false);
  },
);
