import { messageOf } from "../../contracts/index.ts";
import { sleep } from "../../system/index.ts";
import { formatTable, formatTime, safeLine, safeText } from "../../view/index.ts";
import type { WorkflowSession } from "../../workflows/index.ts";
import { findWaitingRuns, type UnreadableRun, type WaitingRun } from "../../workflows/program-kit.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { listenForInterruption } from "../interruption.ts";
import { settleRuns } from "../notifications/settle-runs.ts";
import { formatJson } from "../output/format-json.ts";
import { tableColumns } from "../output/terminal.ts";
import { explainSystemError } from "../unusable-place.ts";
import { findWorkingTree } from "../working-tree/find-working-tree.ts";
import { isWorkingTreeBusy } from "../working-tree/working-tree-lock.ts";
import { Workspace } from "../workspace.ts";
import { type ResumedRun, resumeInChild } from "./resume-in-child.ts";

/** How many runs one call executes at the same time. */
const MAX_AT_ONCE = 4;

/** How often `--watch` looks for runs that have begun to wait meanwhile, in milliseconds. */
const LOOK_MS = 30_000;

/** How long one round of deliveries of notifications may take, in milliseconds. */
const NOTIFY_TIMEOUT_MS = 30_000;

/** Options of `atomic runs due`. */
export interface DueRunsFlags {
  readonly watch?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/**
 * `atomic runs due`: resumes the runs whose time has come, each in a process of its own, and waits for them. They continue
 * when this process ends before them.
 */
export async function dueRunsCommand(environment: CliEnvironment, flags: DueRunsFlags): Promise<ExitCode> {
  if (flags.watch && flags.dryRun) throw new UsageError("Use either --watch or --dry-run, not both.");
  const workspace = new Workspace(environment);
  if (flags.dryRun) return await listWaitingRuns(environment, workspace, flags);
  const { signal, stopListening } = listenForInterruption(environment, {
    say: () => undefined,
    leave: () => undefined,
  });
  const waker = new Waker(environment, workspace, { isWatching: flags.watch ?? false, isJson: flags.json ?? false });
  try {
    const exitCode = await waker.run(signal);
    await waker.notify();
    return exitCode;
  } catch (error) {
    if (!signal.aborted) throw error;
    waker.leave();
    return ExitCode.cancelled;
  } finally {
    stopListening();
  }
}

async function listWaitingRuns(
  environment: CliEnvironment,
  { store, runs, atomicHome }: Workspace,
  flags: DueRunsFlags,
): Promise<ExitCode> {
  const { waiting, unreadable } = await findWaitingRuns(store, runs);
  for (const run of unreadable) environment.stderr.write(describeUnreadable(run, atomicHome));
  const { stdout } = environment;
  if (flags.json) stdout.write(`${formatJson(waiting.map(aboutRun))}\n`);
  else if (waiting.length === 0) stdout.write("No run waits for a time.\n");
  else {
    const rows = waiting.map(({ session, dueAt }) => [
      session.sessionId,
      safeText(session.workflowName),
      formatTime(new Date(dueAt).toISOString()),
      safeText(session.projectDirectory),
    ]);
    const style = { columns: tableColumns(stdout) };
    stdout.write(`${formatTable(["RUN", "WORKFLOW", "DUE (UTC)", "PROJECT"], rows, style)}\n`);
  }
  return unreadable.length === 0 ? ExitCode.done : ExitCode.failed;
}

function aboutRun({ session, dueAt }: WaitingRun): Readonly<Record<string, string | number>> {
  const { sessionId: runId, workflowName: workflow, projectDirectory } = session;
  return { runId, workflow, projectDirectory, dueAt };
}

function describeUnreadable({ session, error }: UnreadableRun, atomicHome: string): string {
  return `warning: The run ${session.sessionId} cannot be read: ${reasonOf(error, atomicHome)}\n`;
}

function reasonOf(error: unknown, atomicHome: string): string {
  return safeLine(messageOf(explainSystemError(error, atomicHome)), 1_000);
}

class Waker {
  /** Waits that were over. What cannot be resumed is not tried for ever. */
  readonly #tried = new Set<string>();
  readonly #unreadable = new Set<string>();
  readonly #working = new Map<string, Promise<void>>();
  /** The working trees of the runs that were resumed and work. */
  readonly #trees = new Set<string>();
  #hasFailed = false;
  #notifying: Promise<void> | undefined;

  constructor(
    readonly environment: CliEnvironment,
    readonly workspace: Workspace,
    readonly options: { readonly isWatching: boolean; readonly isJson: boolean },
  ) {}

  /** @throws the signal's reason */
  async run(signal: AbortSignal): Promise<ExitCode> {
    const { isWatching } = this.options;
    for (;;) {
      if (isWatching) void this.notify();
      const waiting = await this.#find();
      const now = Date.now();
      const due = waiting.filter((run) => run.dueAt <= now && !this.#tried.has(keyOf(run)));
      const held: WaitingRun[] = [];
      for (const run of due) {
        if (await this.#isFree(run)) this.#begin(run);
        else held.push(run);
      }
      if (this.#working.size === 0 && !isWatching) return this.#end(waiting, held);
      const next = waiting.find(({ dueAt }) => dueAt > now)?.dueAt ?? Number.POSITIVE_INFINITY;
      await this.#waitFor(isWatching ? Math.min(next - now, LOOK_MS) : Number.POSITIVE_INFINITY, signal);
    }
  }

  /** Delivers notifications that other processes have not. Does not throw. */
  async notify(): Promise<void> {
    this.#notifying ??= settleRuns(this.environment, this.workspace, { timeoutMs: NOTIFY_TIMEOUT_MS }).finally(() => {
      this.#notifying = undefined;
    });
    await this.#notifying;
  }

  /** Names the runs that continue without this process. */
  leave(): void {
    for (const id of this.#working.keys()) {
      this.environment.stderr.write(`The run ${id} continues. Cancel it: atomic runs cancel ${id}\n`);
    }
  }

  async #find(): Promise<readonly WaitingRun[]> {
    const { store, runs } = this.workspace;
    const { waiting, unreadable } = await findWaitingRuns(store, runs);
    for (const run of unreadable) {
      const { sessionId } = run.session;
      if (!this.#unreadable.has(sessionId)) this.#warn(describeUnreadable(run, this.workspace.atomicHome));
      this.#unreadable.add(sessionId);
      this.#hasFailed = true;
    }
    return waiting.filter(({ session }) => !this.#working.has(session.sessionId));
  }

  /** Whether there is room for a run, and no other run works in its working tree: that one's end makes it free. */
  async #isFree({ session }: WaitingRun): Promise<boolean> {
    const root = treeOf(session);
    if (this.#working.size >= MAX_AT_ONCE || this.#trees.has(root)) return false;
    return !(await isWorkingTreeBusy({ atomicHome: this.workspace.atomicHome, root }));
  }

  async #waitFor(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    try {
      const timer = sleep(timeoutMs, AbortSignal.any([signal, over.signal]));
      // It may lose the race, and fail afterwards.
      timer.catch(() => undefined);
      await Promise.race([timer, ...this.#working.values()]);
    } finally {
      over.abort();
    }
  }

  #begin(run: WaitingRun): void {
    const { sessionId } = run.session;
    this.#tried.add(keyOf(run));
    this.#say({ type: "resumed", ...aboutRun(run) }, `resumed    ${nameOf(run)}`);
    const root = treeOf(run.session);
    const work = this.#resume(run).finally(() => {
      this.#working.delete(sessionId);
      this.#trees.delete(root);
    });
    this.#working.set(sessionId, work);
    this.#trees.add(root);
  }

  /** Does not throw. */
  async #resume(run: WaitingRun): Promise<void> {
    const { sessionId, sessionDir } = run.session;
    try {
      const resumed = await resumeInChild(this.environment, { runId: sessionId, folder: sessionDir });
      const { status } = await this.workspace.runs.report(sessionId);
      if (resumed.output.includes("(WORKING_TREE_BUSY)")) {
        // Another process was faster. This run's turn comes later.
        this.#tried.delete(keyOf(run));
        return;
      }
      const isStopped = isRejected(resumed, status);
      if (isStopped || status === "failed") this.#hasFailed = true;
      this.#say({ type: "ended", ...aboutRun(run), status }, `${status.padEnd(10)} ${nameOf(run)}`);
      if (isStopped) this.#warn(describeRejection(sessionId, resumed));
    } catch (error) {
      this.#hasFailed = true;
      this.#warn(`error: The run ${sessionId} was not resumed: ${reasonOf(error, this.workspace.atomicHome)}\n`);
    }
  }

  /** @param held runs whose time has come, and in whose working trees other runs work */
  #end(waiting: readonly WaitingRun[], held: readonly WaitingRun[]): ExitCode {
    const next = waiting.find(({ dueAt }) => dueAt > Date.now());
    // Mail about every call of a scheduler that had nothing to do would annoy.
    const isShown = this.environment.stdout.isTTY && !this.options.isJson;
    for (const run of isShown ? held : []) {
      this.environment.stdout.write(`waits      ${nameOf(run)}: another run works in its working tree\n`);
    }
    if (isShown && this.#tried.size + held.length === 0) {
      const about = next && `The next is ${nameOf(next)} at ${formatTime(new Date(next.dueAt).toISOString())} UTC.`;
      this.environment.stdout.write(`No run is due. ${about ?? "None waits for a time."}\n`);
    }
    return this.#hasFailed ? ExitCode.failed : ExitCode.done;
  }

  #warn(text: string): void {
    this.environment.stderr.write(text);
  }

  #say(line: Readonly<Record<string, string | number>>, text: string): void {
    this.environment.stdout.write(this.options.isJson ? `${JSON.stringify(line)}\n` : `${text}\n`);
  }
}

function treeOf({ projectDirectory, settings }: WorkflowSession): string {
  return findWorkingTree(settings?.workingDirectory ?? projectDirectory, projectDirectory);
}

/** A wait of a run. */
function keyOf({ session, dueAt }: WaitingRun): string {
  return `${session.sessionId} ${dueAt}`;
}

function nameOf({ session }: WaitingRun): string {
  return `${safeText(session.workflowName)}  run ${session.sessionId}`;
}

/** Whether a run was not resumed, and no other process did so. */
function isRejected({ exitCode }: ResumedRun, status: string): boolean {
  if (status === "running" || status === "completed") return false;
  // Neither the end of a run nor a question of one.
  const isStuck = status === "interrupted" || (status === "suspended" && exitCode === ExitCode.failed);
  return isStuck || exitCode === null || exitCode === ExitCode.usage;
}

function describeRejection(runId: string, { output, exitCode }: ResumedRun): string {
  const lines = safeText(output)
    .split("\n")
    .filter((line) => line !== "");
  if (lines.length === 0) {
    const code = exitCode === null ? "a signal ended it" : `exit code ${exitCode}`;
    return `error: The run ${runId} was not resumed: its process could print nothing into the run's folder (${code}). Make room there if the disk is full, then: atomic runs resume ${runId}\n`;
  }
  return `error: The run ${runId} was not resumed:\n${lines.map((line) => `  ${line}\n`).join("")}`;
}
