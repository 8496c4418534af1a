import { AtomicError } from "../../contracts/index.ts";
import { RunLockedError } from "../../graph/index.ts";
import { shownStatusOf } from "../../workflows/run-kit.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../output/format-json.ts";
import { Workspace } from "../workspace.ts";

/** A run that could be resumed, so its deletion would lose what it has done and what it waits for. */
export class RunUnfinishedError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly status: string,
  ) {
    super(
      "RUN_UNFINISHED",
      `The run "${runId}" is ${status}, and can be resumed: atomic runs show ${runId}. Delete it all the same: atomic runs delete ${runId} --force`,
    );
  }
}

/** Options of `atomic runs delete`. */
export interface DeleteRunsFlags {
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `atomic runs delete RUN...`: deletes what is kept of runs. All of them are checked before the first is deleted. */
export async function deleteRunsCommand(
  environment: CliEnvironment,
  prefixes: readonly string[],
  flags: DeleteRunsFlags,
): Promise<ExitCode> {
  const { store, runs } = new Workspace(environment);
  const ids = new Set<string>();
  for (const prefix of prefixes) ids.add(await store.resolveId(prefix));
  for (const id of ids) {
    if (await runs.isLive(id)) throw await lockedError(store, id);
    if (flags.force) continue;
    const session = await store.load(id);
    const status = await runs.status(session);
    if (status !== "completed") throw new RunUnfinishedError(id, shownStatusOf(session, status));
  }
  for (const id of ids) {
    await store.remove(id);
    environment.stdout.write(flags.json ? `${formatJson({ type: "deleted", runId: id })}\n` : `deleted  run ${id}\n`);
  }
  return ExitCode.done;
}

/** A broken session has no owner. */
async function lockedError(store: Workspace["store"], id: string): Promise<RunLockedError> {
  const session = await store.load(id).catch(() => undefined);
  return new RunLockedError(id, session?.owner === undefined ? undefined : `process ${session.owner.pid}`);
}
