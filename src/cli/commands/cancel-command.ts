import { setTimeout as sleep } from "node:timers/promises";
import { AtomicError } from "../../contracts/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { settleRuns } from "../notifications/settle-runs.ts";
import { formatJson } from "../output/format-json.ts";
import { Workspace } from "../workspace.ts";

/** How long a process may take to end its run. */
const CANCEL_TIMEOUT_MS = 20_000;
/** How long it may take before it is killed with `--force`. */
const FORCE_AFTER_MS = 5_000;
const POLL_MS = 100;
/** How long the call may wait for the delivery of notifications. */
const NOTIFY_TIMEOUT_MS = 5_000;

/** The process that executes a run did not let go of it. */
export class CancelTimeoutError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly pid: number,
  ) {
    super(
      "CANCEL_TIMEOUT",
      `The process ${pid} was asked to end the run "${runId}" and has not done so yet. Wait, or kill the process: atomic runs cancel ${runId} --force\nThe run can be resumed afterwards.`,
    );
  }
}

/** A process executes a run that this one cannot reach. */
export class CancelUnreachableError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly pid: number | undefined,
  ) {
    const owner = pid === undefined ? "a process that did not leave its number" : `the process ${pid}`;
    super(
      "CANCEL_UNREACHABLE",
      `The run "${runId}" is being executed by ${owner}, which cannot be stopped from here. It may belong to another user or container. End the run there.`,
    );
  }
}

/** Options of `atomic runs cancel`. */
export interface CancelFlags {
  readonly json?: boolean;
  /** Kills a process that does not end the run. */
  readonly force?: boolean;
}

/** `atomic runs cancel ID`: ends a run; it can be resumed later. */
export async function cancelCommand(
  environment: CliEnvironment,
  prefix: string,
  flags: CancelFlags,
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const { store, runs } = workspace;
  const id = await store.resolveId(prefix);
  const wasLive = await runs.isLive(id);
  if (wasLive) await stopOwner(environment, workspace, { id, isForced: flags.force === true });
  // Its own process may have brought the run to another end meanwhile, or died over it.
  const outcome = wasLive ? (await runs.report(id)).summary?.status : undefined;
  const status = outcome === "completed" ? "completed" : "cancelled";
  if (outcome !== "completed" && outcome !== "cancelled") await runs.cancel(id);
  await settleRuns(environment, workspace, { runId: id, timeoutMs: NOTIFY_TIMEOUT_MS });
  environment.stdout.write(
    flags.json ? `${formatJson({ type: "cancelled", runId: id, status })}\n` : `${status}  run ${id}\n`,
  );
  return ExitCode.done;
}

/** How the process of a run is ended. */
interface StopOptions {
  readonly id: string;
  /** Whether it is killed where it does not end the run itself: its code may never return. */
  readonly isForced: boolean;
}

async function stopOwner(
  environment: CliEnvironment,
  { store, runs }: Workspace,
  { id, isForced }: StopOptions,
): Promise<void> {
  const { owner } = await store.load(id);
  if (owner === undefined || !environment.interrupt(owner.pid)) {
    if (await runs.isLive(id)) throw new CancelUnreachableError(id, owner?.pid);
    return;
  }
  let isKilled = false;
  for (let waitedMs = 0; await runs.isLive(id); waitedMs += POLL_MS) {
    if (isForced && !isKilled && waitedMs >= FORCE_AFTER_MS) {
      // Another process may execute the run by now.
      if ((await store.load(id)).owner?.startedAt !== owner.startedAt) return;
      isKilled = environment.interrupt(owner.pid, "SIGKILL");
    }
    if (waitedMs >= CANCEL_TIMEOUT_MS) throw new CancelTimeoutError(id, owner.pid);
    await sleep(POLL_MS);
  }
}
