import { cancelRun } from "../cancel-run.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { settleRuns } from "../notifications/settle-runs.ts";
import { formatJson } from "../output/format-json.ts";
import { Workspace } from "../workspace.ts";

/** How long the call may wait for the delivery of notifications. */
const NOTIFY_TIMEOUT_MS = 5_000;

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
  const id = await workspace.store.resolveId(prefix);
  const isForced = flags.force === true;
  const onSlow = (): void => {
    const next = isForced
      ? "Its process is killed in a moment."
      : `Wait, or kill its process: atomic runs cancel ${id} --force`;
    if (!flags.json) environment.stderr.write(`A step of the run ${id} has not stopped yet. ${next}\n`);
  };
  const status = await cancelRun(environment, workspace, { id, isForced, onSlow });
  await settleRuns(environment, workspace, { runId: id, timeoutMs: NOTIFY_TIMEOUT_MS });
  environment.stdout.write(
    flags.json ? `${formatJson({ type: "cancelled", runId: id, status })}\n` : `${status}  run ${id}\n`,
  );
  return ExitCode.done;
}
