import { createHash } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { withResolvers } from "../contracts/index.ts";
import { sleep } from "./long-timer.ts";
import { FileLockTimeoutError } from "./with-file-lock.ts";
import { isSharedLockHeld, withSharedLock } from "./with-shared-lock.ts";

/** How often to look for a free slot, in milliseconds. */
const POLL_MS = 100;

/** Settings of {@link MachineSlots}. */
export interface MachineSlotsOptions {
  /** The folder of the locks; the processes that share the slots share it. Created when needed. */
  readonly folder: string;
  /** The number of slots, at least 1; undefined for any number. Called whenever a slot is looked for. Must not throw. */
  readonly readLimit: () => Promise<number | undefined>;
}

/** How work waits for its slot. */
export interface HoldSlotOptions {
  readonly signal: AbortSignal;
  /**
   * The name of the work that cannot continue before this work ends, and may hold the last slot. Work inside the same work
   * always has one slot more, which it shares.
   * @default none
   */
  readonly inside?: string | undefined;
  /** Called once, when no slot was free at the first two looks, with the number of slots. */
  readonly onWait?: ((limit: number) => void) | undefined;
}

/** Work that has its slot. An object, because a promise of a promise would wait for both. */
interface Begun<T> {
  readonly result: Promise<T>;
}

/**
 * Slots that all processes of a user on this machine share.
 *
 * 1. Each slot is a shared lock, `slot-1` and so on, which the system releases when its process ends, even violently.
 * 2. Slots are taken only under the lock `next`, which the first of those that wait keeps. So nobody else takes a slot while
 *    held ones are counted, and nobody starves: an owner that has just released a slot queues again. The order of the queue is
 *    random.
 * 3. A slot is taken only while fewer than the limit are held, whatever the limit was when those were taken.
 * 4. Work inside other work never waits for that: it can also take the lock of its `inside`.
 */
export class MachineSlots {
  readonly #folder: string;
  readonly #readLimit: () => Promise<number | undefined>;

  constructor({ folder, readLimit }: MachineSlotsOptions) {
    this.#folder = folder;
    this.#readLimit = readLimit;
  }

  /**
   * Executes `work` as soon as there is a slot for it, which it holds until it settles.
   *
   * @throws the signal's reason while it waits; the errors of `work` and of the file system
   */
  async hold<T>(work: () => Promise<T>, options: HoldSlotOptions): Promise<T> {
    const { signal } = options;
    const guarded = async (): Promise<T> => {
      signal.throwIfAborted();
      return await work();
    };
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const pause = createPause(options);
    for (;;) {
      signal.throwIfAborted();
      const limit = await this.#readLimit();
      if (limit === undefined) return await guarded();
      const begun =
        (await this.#tryInside(guarded, options)) ??
        (await (
          await tryLock(join(this.#folder, "next"), () => this.#awaitSlot(guarded, { ...options, pause }))
        )?.result);
      if (begun !== undefined) return await begun.result;
      await pause(limit);
    }
  }

  /** Invariant 2: executed under the lock `next`. */
  async #awaitSlot<T>(
    work: () => Promise<T>,
    { pause, ...options }: HoldSlotOptions & { readonly pause: Pause },
  ): Promise<Begun<T>> {
    for (;;) {
      const limit = await this.#readLimit();
      if (limit === undefined) return { result: settledLater(work()) };
      const begun = (await this.#tryInside(work, options)) ?? (await this.#trySlot(work, limit));
      if (begun !== undefined) return begun;
      await pause(limit);
    }
  }

  /** Invariant 3. */
  async #trySlot<T>(work: () => Promise<T>, limit: number): Promise<Begun<T> | undefined> {
    const held = new Set<string>();
    for (const name of await readdir(this.#folder)) {
      if (name.startsWith("slot-") && (await isSharedLockHeld(join(this.#folder, name)))) held.add(name);
    }
    if (held.size >= limit) return undefined;
    let number = 1;
    while (held.has(`slot-${number}`)) number++;
    return await tryLock(join(this.#folder, `slot-${number}`), work);
  }

  /** Invariant 4. */
  async #tryInside<T>(work: () => Promise<T>, { inside }: HoldSlotOptions): Promise<Begun<T> | undefined> {
    if (inside === undefined) return undefined;
    const name = createHash("sha256").update(inside).digest("hex").slice(0, 16);
    return await tryLock(join(this.#folder, `inside-${name}`), work, { isDiscarded: true });
  }
}

/** Waits until it is time to look again. */
type Pause = (limit: number) => Promise<void>;

function createPause({ signal, onWait }: HoldSlotOptions): Pause {
  let count = 0;
  return async (limit) => {
    // A lock may be held for the moment in which another process looks.
    if (++count === 2) onWait?.(limit);
    await sleep(POLL_MS, signal);
  };
}

/** Begins `work` if the lock is free, and resolves as soon as that is known. */
async function tryLock<T>(
  path: string,
  work: () => Promise<T>,
  { isDiscarded = false }: { readonly isDiscarded?: boolean } = {},
): Promise<Begun<T> | undefined> {
  const taken = withResolvers<void>();
  const result = settledLater(
    withSharedLock(
      path,
      async ({ discard }) => {
        taken.resolve();
        try {
          return await work();
        } finally {
          if (isDiscarded) await discard();
        }
      },
      { timeoutMs: 0 },
    ),
  );
  try {
    await Promise.race([taken.promise, result]);
    return { result };
  } catch (error) {
    if (error instanceof FileLockTimeoutError && error.path === path) return undefined;
    throw error;
  }
}

/** A promise that its owner awaits later: a rejection in the meantime is not unhandled. */
function settledLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
