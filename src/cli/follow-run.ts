import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunEvent } from "../contracts/index.ts";
import { EVENTS_FILE, followEvents } from "../workflows/run-kit.ts";
import type { Workspace } from "./workspace.ts";

/** How often to check whether a process still executes the run, in milliseconds. */
const POLL_MS = 200;
/** After this many looks in a row, a run without a process and without an end is interrupted: it is not about to begin. */
const MAX_QUIET = 8;

/** Settings of {@link followRun}. */
export interface FollowRunOptions {
  /** Stops following. The run continues. */
  readonly signal: AbortSignal;
  /** Called once, when everything was yielded that was already there. */
  readonly onCaughtUp?: () => void;
  /** Called at each look at a run that a process executes. */
  readonly onLook?: () => void;
}

/**
 * The events of a run that any process executes: those so far, then the new ones, until no process executes it and none is
 * about to.
 *
 * @throws EventsUnreadableError, errors of the session store
 */
export async function* followRun(
  workspace: Workspace,
  id: string,
  { signal, onCaughtUp, onLook }: FollowRunOptions,
): AsyncGenerator<RunEvent, void> {
  const over = new AbortController();
  const left = new AbortController();
  const stop = AbortSignal.any([signal, left.signal]);
  const waiting = whenOver(workspace, id, { signal: stop, onLook }).finally(() => over.abort());
  // Thrown below, after the last events are yielded.
  waiting.catch(() => undefined);
  const path = join(workspace.store.directoryOf(id), EVENTS_FILE);
  try {
    const caughtUp = onCaughtUp === undefined ? {} : { onCaughtUp };
    yield* followEvents(path, { signal: over.signal, ...caughtUp });
  } finally {
    left.abort();
  }
  await waiting;
}

/** Resolves when no process executes the run, and none is about to, or the signal is aborted. */
async function whenOver(
  { runs, store }: Workspace,
  id: string,
  { signal, onLook }: Pick<FollowRunOptions, "signal"> & { readonly onLook: (() => void) | undefined },
): Promise<void> {
  for (let quiet = 0; quiet < MAX_QUIET && !signal.aborted; ) {
    if (await runs.isLive(id)) {
      quiet = 0;
      onLook?.();
    } else {
      const status = await runs.status(await store.load(id));
      if (status !== "running" && status !== "interrupted") return;
      quiet++;
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
