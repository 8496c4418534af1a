import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { AtomicError, messageOf, type RunEvent } from "../../contracts/index.ts";
import { RunLockedError } from "../../graph/index.ts";
import {
  FileLockTimeoutError,
  identifyThisProcess,
  isSharedLockHeld,
  isStartedBy,
  sleep,
  withSharedLock,
} from "../../system/index.ts";
import { visibleLine } from "../../view/index.ts";
import { SessionsUnwritableError } from "../../workflows/index.ts";

/** How often to try again, in milliseconds. */
const POLL_MS = 200;
/** How long to wait for the name of a run that has just begun, in milliseconds. */
const NAME_TIMEOUT_MS = 2_000;

const HolderSchema = z.object({
  runId: z.string(),
  workflow: z.string(),
  /** As the process itself knows it. */
  pid: z.number(),
  process: z.object({ processId: z.number(), startedAt: z.string(), machine: z.string() }),
});

/** The run that works in a working tree, and its process. */
export type WorkingTreeHolder = Readonly<z.infer<typeof HolderSchema>>;

/** Another run works in the working tree. */
export class WorkingTreeBusyError extends AtomicError {
  constructor(
    readonly root: string,
    readonly holder: WorkingTreeHolder | undefined,
  ) {
    const ways = holder === undefined ? "" : `, or cancel it (atomic runs cancel ${holder.runId})`;
    super(
      "WORKING_TREE_BUSY",
      `${nameHolder(holder)} works in ${visibleLine(root)}, and two runs there would change the same files. Wait for its end${ways}. To run beside it all the same, add --alongside.`,
    );
  }
}

/** The lock of a working tree cannot be taken: its folder is full, or something else is in its place. */
export class WorkingTreeLockError extends AtomicError {
  constructor(
    readonly path: string,
    options: { readonly cause: unknown },
  ) {
    super(
      "WORKING_TREE_LOCK_BROKEN",
      `The lock of the working tree, ${visibleLine(path)}, cannot be used: ${messageOf(options.cause)}. Correct that, or remove it while no run works; to do without, add --alongside.`,
      options,
    );
  }
}

/** A run in a sentence. */
export function nameHolder(holder: WorkingTreeHolder | undefined): string {
  return holder === undefined ? "Another run" : `The run ${holder.runId} (${visibleLine(holder.workflow)})`;
}

/** Settings of {@link WorkingTreeLock}. */
export interface WorkingTreeLockOptions {
  readonly atomicHome: string;
  /** See `findWorkingTree`. */
  readonly root: string;
  /** This process. */
  readonly pid: number;
  readonly workflow: string;
  /** The run, if it is there already. */
  readonly runId?: string | undefined;
  readonly signal: AbortSignal;
  /** Called once, before the lock waits for another run. @default it does not wait */
  readonly onWait?: ((holder: WorkingTreeHolder | undefined) => void) | undefined;
}

/**
 * Keeps two runs from changing the same files. A run holds its working tree while a process executes it, so not while it is
 * suspended. What a step of a run starts works within that run, and does not wait for it.
 *
 * In `working-trees/` of Atomic's folder, each working tree has a shared lock and a file that names the run which has it.
 */
export class WorkingTreeLock {
  readonly #options: WorkingTreeLockOptions;
  readonly #paths: WorkingTreePaths;
  #hasTree = false;
  #noted: Promise<void> = Promise.resolve();

  constructor(options: WorkingTreeLockOptions) {
    this.#options = options;
    this.#paths = pathsOf(options);
  }

  /**
   * Executes `work` while no other run works in the working tree.
   *
   * @throws WorkingTreeBusyError, WorkingTreeLockError; RunLockedError if another process executes this run; the signal's reason; errors of `work`
   */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    const { root, signal, onWait } = this.#options;
    await mkdir(this.#paths.folder, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
      throw new SessionsUnwritableError(this.#paths.folder, { cause });
    });
    const nameDeadline = performance.now() + NAME_TIMEOUT_MS;
    for (let isWaiting = false; ; ) {
      signal.throwIfAborted();
      const begun = await this.#tryHold(work);
      if (begun !== undefined) return begun.result;
      const holder = await readHolder(this.#paths.note);
      if (holder !== undefined && (await this.#isWithin(holder))) return await work();
      if (!isWaiting && (holder !== undefined || performance.now() >= nameDeadline)) {
        if (onWait === undefined) throw new WorkingTreeBusyError(root, holder);
        onWait(holder);
        isWaiting = true;
      }
      await sleep(POLL_MS, signal);
    }
  }

  /** Writes down which run has the working tree, for the message that another one gets. */
  onEvent({ type, runId }: RunEvent): void {
    if (type !== "run-start" || !this.#hasTree) return;
    this.#noted = this.#writeNote(runId);
  }

  /** Whether this process is part of a run. @throws RunLockedError if that is this very run */
  async #isWithin({ runId, pid, process: other }: WorkingTreeHolder): Promise<boolean> {
    if (runId === this.#options.runId) throw new RunLockedError(runId, `process ${pid}`);
    return await isStartedBy(other, await identifyThisProcess(this.#options.pid));
  }

  /** Undefined while another run has the working tree. */
  async #tryHold<T>(work: () => Promise<T>): Promise<{ readonly result: T } | undefined> {
    const { lock } = this.#paths;
    let hasBegun = false;
    const begin = (): Promise<T> => {
      hasBegun = true;
      return this.#workAlone(work);
    };
    try {
      return { result: await withSharedLock(lock, begin, { timeoutMs: 0 }) };
    } catch (error) {
      if (hasBegun) throw error;
      if (error instanceof FileLockTimeoutError && error.path === lock) return undefined;
      throw new WorkingTreeLockError(lock, { cause: error });
    }
  }

  async #workAlone<T>(work: () => Promise<T>): Promise<T> {
    // That of a run whose process was killed.
    await this.#removeNote();
    this.#hasTree = true;
    try {
      return await work();
    } finally {
      this.#hasTree = false;
      await this.#noted;
      await this.#removeNote();
    }
  }

  /** A note that stays names a wrong run at the worst: no reason to fail this one. */
  async #removeNote(): Promise<void> {
    await rm(this.#paths.note, { force: true }).catch(() => undefined);
  }

  async #writeNote(runId: string): Promise<void> {
    const { workflow, pid } = this.#options;
    const holder: WorkingTreeHolder = { runId, workflow, pid, process: await identifyThisProcess(pid) };
    // Without a note, as on a full disk, the run has no name in messages.
    await writeFile(this.#paths.note, JSON.stringify(holder), { mode: 0o600 }).catch(() => undefined);
  }
}

/** Whether a run works in a working tree at this moment. */
export async function isWorkingTreeBusy(tree: Pick<WorkingTreeLockOptions, "atomicHome" | "root">): Promise<boolean> {
  return await isSharedLockHeld(pathsOf(tree).lock);
}

interface WorkingTreePaths {
  readonly folder: string;
  readonly lock: string;
  readonly note: string;
}

function pathsOf({ atomicHome, root }: Pick<WorkingTreeLockOptions, "atomicHome" | "root">): WorkingTreePaths {
  const folder = join(atomicHome, "working-trees");
  const name = createHash("sha256").update(root).digest("hex").slice(0, 16);
  return { folder, lock: join(folder, `${name}.lock`), note: join(folder, `${name}.json`) };
}

/** Undefined for a run that has just begun. */
async function readHolder(path: string): Promise<WorkingTreeHolder | undefined> {
  try {
    return HolderSchema.safeParse(JSON.parse(await readFile(path, "utf8"))).data;
  } catch {
    // It is not there, or is being written.
    return undefined;
  }
}
