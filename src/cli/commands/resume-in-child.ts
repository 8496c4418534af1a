import { spawn } from "node:child_process";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { CliEnvironment } from "../environment.ts";
import { compilerCacheFor } from "../loading/compiler-cache.ts";
import { commandOfFile } from "../loading/own-command.ts";

/** So much of the end of what the process printed is kept in memory, in bytes. */
const MAX_OUTPUT = 4_000;

/** How a process that resumed a run ended. */
export interface ResumedRun {
  /** `null` when a signal ended it. */
  readonly exitCode: number | null;
  /** The end of what it printed. */
  readonly output: string;
}

/**
 * Resumes a run in a process of its own, without a terminal, and waits for its end. The process continues when this one
 * ends: what it prints is in a file.
 *
 * @param folder where that file lies while the process runs: the run's folder
 * @throws errors of the system
 */
export async function resumeInChild(
  environment: Pick<CliEnvironment, "env" | "workingDirectory" | "userHomeDirectory">,
  { runId, folder }: { readonly runId: string; readonly folder: string },
): Promise<ResumedRun> {
  const path = join(folder, `resume-${process.pid}.log`);
  const file = await open(path, "w+", 0o600);
  try {
    const { command, folder: place } = commandOfFile(new URL("../../../bin/start.ts", import.meta.url), []);
    const [program, ...args] = command;
    const child = spawn(program, [...args, "runs", "resume", runId], {
      cwd: place,
      env: { ...environment.env, ...compilerCacheFor(environment), ATOMIC_START_DIR: environment.workingDirectory },
      stdio: ["ignore", file.fd, file.fd],
      // Ctrl+C is for this process.
      detached: true,
    });
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", resolve);
    });
    const { size } = await file.stat();
    const length = Math.min(size, MAX_OUTPUT);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return { exitCode, output: buffer.toString() };
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}
