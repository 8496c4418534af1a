import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SessionStore, WorkflowSession } from "../../workflows/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { compilerCacheFor } from "../loading/compiler-cache.ts";
import { commandOfFile } from "../loading/own-command.ts";
import { Workspace } from "../workspace.ts";

/** How often to look whether the run has begun, in milliseconds. */
const POLL_MS = 50;
/** Clocks of files and processes differ a little, in milliseconds. */
const CLOCK_TOLERANCE_MS = 2_000;

/** A call of Atomic that begins or continues a run. */
export interface DetachedCall {
  /** The run that the call continues, as the user named it. Absent for a call that begins one. */
  readonly run?: string | undefined;
  /** The arguments of the process, without the program's name. */
  readonly args: readonly string[];
}

/** A run that a process of its own executes. */
export interface DetachedRun {
  readonly type: "detached";
  readonly runId: string;
  readonly workflowName: string;
  readonly pid: number | undefined;
  /** The file with what the process prints. */
  readonly log: string;
}

/** The process ended before a run began. */
export interface NotDetached {
  readonly type: "ended";
  /** The run that the call was to continue. */
  readonly runId: string | undefined;
  readonly exitCode: ExitCode;
  /** What it printed: agents and files may have written a part of it. */
  readonly output: string;
}

/**
 * Calls Atomic in a process of its own, without a terminal, and returns when the run has begun there. The process continues
 * when this one ends.
 *
 * @throws errors of the system
 */
export async function detachRun(environment: CliEnvironment, call: DetachedCall): Promise<DetachedRun | NotDetached> {
  const workspace = new Workspace(environment);
  const { store, runs, atomicHome } = workspace;
  const known = call.run === undefined ? undefined : await store.resolveId(call.run);
  const before = new Set(await store.ids());
  await mkdir(atomicHome, { recursive: true, mode: 0o700 });
  const output = join(atomicHome, `.detached-${environment.pid}-${Date.now()}.log`);
  const child = await startChild(environment, call, output);
  const ended = endOf(child);
  const stopListening = environment.onSignal(() => child.kill("SIGTERM"));
  try {
    const sought = { pid: child.pid ?? 0, startedAt: Date.now(), known, before };
    for (;;) {
      // In this order: what a process has done, it did before its end.
      const exitCode = await Promise.race([ended, sleep(POLL_MS)]);
      const session = await findTaken(store, sought);
      if (session !== undefined && (exitCode !== undefined || (await runs.isLive(session.sessionId)))) {
        return await keepLog({ session, child, output });
      }
      if (exitCode === undefined) continue;
      const text = await readFile(output, "utf8");
      await rm(output, { force: true });
      return { type: "ended", runId: known, exitCode, output: text };
    }
  } finally {
    stopListening();
  }
}

async function startChild(environment: CliEnvironment, call: DetachedCall, output: string): Promise<ChildProcess> {
  const { workingDirectory, hasPipedInput, stdin } = environment;
  const { command, folder } = commandOfFile(new URL("../../../bin/start.ts", import.meta.url), []);
  const [program, ...own] = command;
  const file = await open(output, "wx", 0o600);
  try {
    // A prompt may come from a pipe. It is read in the other process.
    const isInherited = hasPipedInput && "fd" in stdin && stdin.fd === 0;
    return spawn(program, [...own, ...call.args], {
      cwd: folder,
      env: { ...environment.env, ...compilerCacheFor(environment), ATOMIC_START_DIR: workingDirectory },
      stdio: [isInherited ? "inherit" : "ignore", file.fd, file.fd],
      // The terminal may close, and Ctrl+C is for what works in it.
      detached: true,
    });
  } finally {
    await file.close();
  }
}

/** Resolves with the exit code; a signal counts as a cancel. @throws errors of the system */
async function endOf(child: ChildProcess): Promise<ExitCode> {
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    // The cast is true: the process is Atomic, which ends with its own exit codes.
    child.once("exit", (code) => resolve((code ?? ExitCode.cancelled) as ExitCode));
  });
}

interface SoughtRun {
  readonly pid: number;
  readonly startedAt: number;
  readonly known: string | undefined;
  /** The runs that there were. */
  readonly before: ReadonlySet<string>;
}

/** The run that the process has begun or taken over. */
async function findTaken(
  store: SessionStore,
  { pid, startedAt, known, before }: SoughtRun,
): Promise<WorkflowSession | undefined> {
  const ids = known === undefined ? (await store.ids()).filter((id) => !before.has(id)) : [known];
  for (const id of ids) {
    // One that is being deleted is none.
    const session = await store.load(id).catch(() => undefined);
    const owner = session?.owner;
    if (owner?.pid !== pid) continue;
    if (Date.parse(owner.startedAt) >= startedAt - CLOCK_TOLERANCE_MS) return session;
  }
  return undefined;
}

interface BegunRun {
  readonly session: WorkflowSession;
  readonly child: ChildProcess;
  readonly output: string;
}

/** Moves the process's output to the folder of its run. */
async function keepLog({ session, child, output }: BegunRun): Promise<DetachedRun> {
  const { sessionId: runId, sessionDir, workflowName } = session;
  const logs = join(sessionDir, "logs");
  await mkdir(logs, { recursive: true, mode: 0o700 });
  const log = join(logs, `detached-${child.pid}.log`);
  await rename(output, log);
  child.unref();
  return { type: "detached", runId, workflowName, pid: child.pid, log };
}
