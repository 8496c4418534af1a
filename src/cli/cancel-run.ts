import { setTimeout as sleep } from "node:timers/promises";
import { AtomicError } from "../contracts/index.ts";
import type { CliEnvironment } from "./environment.ts";
import type { Workspace } from "./workspace.ts";

/** How long a process may take to end its run. */
const CANCEL_TIMEOUT_MS = 20_000;
/** How long it may take before it is killed with `--force`. */
const FORCE_AFTER_MS = 5_000;
/** How long it may take before the caller hears of it. */
const SLOW_AFTER_MS = 3_000;
const POLL_MS = 100;

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

/** How a run is ended. */
export interface StopOptions {
  readonly id: string;
  /** Whether its process is killed where it does not end the run itself: its code may never return. */
  readonly isForced: boolean;
  /** Called once if the process takes longer than three seconds to end the run. */
  readonly onSlow?: () => void;
}

/**
 * Ends a run, which can be resumed later. Returns how it ended: it may have completed meanwhile.
 *
 * @throws CancelTimeoutError, CancelUnreachableError, RunFinishedError, RunLockedError
 */
export async function cancelRun(
  environment: Pick<CliEnvironment, "interrupt">,
  workspace: Workspace,
  options: StopOptions,
): Promise<"completed" | "cancelled"> {
  const { runs } = workspace;
  const { id } = options;
  const wasLive = await runs.isLive(id);
  if (wasLive) await stopOwner(environment, workspace, options);
  // Its own process may have brought the run to another end meanwhile, or died over it.
  const outcome = wasLive ? (await runs.report(id)).summary?.status : undefined;
  if (outcome === "completed") return "completed";
  if (outcome !== "cancelled") await runs.cancel(id);
  return "cancelled";
}

async function stopOwner(
  environment: Pick<CliEnvironment, "interrupt">,
  { store, runs }: Workspace,
  { id, isForced, onSlow }: StopOptions,
): Promise<void> {
  const { owner } = await store.load(id);
  if (owner === undefined || !environment.interrupt(owner.pid)) {
    if (await runs.isLive(id)) throw new CancelUnreachableError(id, owner?.pid);
    return;
  }
  let isKilled = false;
  for (let waitedMs = 0; await runs.isLive(id); waitedMs += POLL_MS) {
    if (waitedMs === SLOW_AFTER_MS) onSlow?.();
    if (isForced && !isKilled && waitedMs >= FORCE_AFTER_MS) {
      // Another process may execute the run by now.
      if ((await store.load(id)).owner?.startedAt !== owner.startedAt) return;
      isKilled = environment.interrupt(owner.pid, "SIGKILL");
    }
    if (waitedMs >= CANCEL_TIMEOUT_MS) throw new CancelTimeoutError(id, owner.pid);
    await sleep(POLL_MS);
  }
}
