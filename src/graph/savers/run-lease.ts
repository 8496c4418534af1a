import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { type FileHandle, mkdir, open, readdir, readFile, rm, rmdir, stat, unlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findProcess, identifyThisProcess, type ProcessIdentity } from "../../system/index.ts";
import { RunLockedError } from "../errors/errors.ts";
import { encodeRunId } from "./encode-run-id.ts";

/**
 * Grants each run to one holder among all processes that share a folder (E9). Uses only files, and avoids the race of
 * taking over a lock file that looks abandoned.
 *
 * L1. To acquire a run, a process creates a file, its claim, under a name that is never used again, and only then looks
 *     for other claims. It holds the run if it finds none that is alive. Of two processes, the one that looks later sees
 *     the other's claim, so two never hold a run.
 * L2. A process that finds a dead claim removes it. As names are never reused, it removes the claim that it checked.
 * L3. If several processes find each other, those with later names withdraw, and the first waits until they are gone: one
 *     gets the run. A claim that is not withdrawn belongs to a process that looked earlier and holds the run.
 * L4. A claim is alive as long as its process. If that cannot be checked (another host or container, a system other than
 *     Linux), it is alive if its file was touched within STALE_AFTER_MS.
 * L5. A holder that could not touch its file for long, for example because the computer slept, checks that its claim still
 *     exists before it continues.
 */
const STALE_AFTER_MS = 30_000;
const HEARTBEAT_MS = 10_000;
/** How long a claim is trusted without being touched (L5). */
const TRUST_MS = 20_000;
/** How long to wait for claims to be withdrawn (L3). */
const WITHDRAWAL_MS = 2_000;
const POLL_MS = 5;
const FOLDER_ATTEMPTS = 100;
const TEXT_ATTEMPTS = 10;

/** Settings of {@link RunLeases}. */
export interface RunLeasesOptions {
  /** The folder of the claims; created if missing. */
  readonly folder: string;
  /** Names this process in the error of another one. @default its id and host */
  readonly owner?: string | undefined;
  /** This process's id; found automatically only on Linux. */
  readonly processId?: number | undefined;
}

/** A held run. */
export interface RunLease {
  /** Checks that the run is still held. @throws RunLockedError */
  confirm(): void;
  /** Releases the run. Idempotent. */
  release(): Promise<void>;
}

/** A claim that is, or was, in the folder. */
interface Claim {
  readonly fileName: string;
  /** Claims sort by rank: time first, then a random number. */
  readonly rank: string;
  readonly holder: ProcessIdentity;
}

/** The claims of a run. */
interface FoundClaims {
  /** Sorted by rank. */
  readonly living: readonly Claim[];
  readonly dead: readonly Claim[];
}

interface FindClaimsOptions {
  /** Returns the time to compare the files' times with, in milliseconds since 1970. */
  readonly findNow: () => Promise<number>;
  /** A claim to ignore. */
  readonly except?: Claim;
}

/** Acquires and checks the leases of runs. */
export class RunLeases {
  readonly #options: RunLeasesOptions;
  #identity: Promise<ProcessIdentity> | undefined;

  constructor(options: RunLeasesOptions) {
    this.#options = options;
  }

  /** @throws RunLockedError */
  async acquire(runId: string): Promise<RunLease> {
    const holder = await this.#identify();
    const claim = createClaim(runId, holder);
    const path = this.#pathOf(claim);
    const owner = this.#options.owner ?? describeProcess(holder);
    try {
      await createClaimFile(path, owner);
      await this.#outwait(runId, claim);
    } catch (error) {
      // The first error is the one to report.
      await removeClaimFile(path).catch(() => undefined);
      throw error;
    }
    return new HeldLease(runId, path, owner);
  }

  async isHeld(runId: string): Promise<boolean> {
    return (await this.#findClaims(runId, { findNow: async () => Date.now() })).living.length > 0;
  }

  /** Resolves when there is no living claim but this one. @throws RunLockedError */
  async #outwait(runId: string, claim: Claim): Promise<void> {
    const deadline = performance.now() + WITHDRAWAL_MS;
    for (;;) {
      // The claim's own file time comes from the same clock as the other files' times.
      const findNow = async (): Promise<number> => (await stat(this.#pathOf(claim))).mtimeMs;
      const { living, dead } = await this.#findClaims(runId, { findNow, except: claim });
      for (const ended of dead) await rm(this.#pathOf(ended), { force: true });
      const [first] = living;
      if (first === undefined) return;
      if (first.rank < claim.rank || performance.now() > deadline) {
        const owner = await this.#ownerOf(first);
        if (owner !== undefined) throw new RunLockedError(runId, owner);
      }
      await sleep(POLL_MS);
    }
  }

  async #findClaims(runId: string, { findNow, except }: FindClaimsOptions): Promise<FoundClaims> {
    const prefix = prefixOf(runId);
    const fileNames = (await readdir(this.#options.folder).catch(ignoreMissing)) ?? [];
    const claims = fileNames
      .filter((name) => name.startsWith(prefix) && name !== except?.fileName)
      .flatMap(parseClaim)
      .sort((left, right) => (left.rank < right.rank ? -1 : 1));
    const found: { readonly living: Claim[]; readonly dead: Claim[] } = { living: [], dead: [] };
    for (const claim of claims) {
      const list = (await this.#isAlive(claim, findNow)) ? found.living : found.dead;
      list.push(claim);
    }
    return found;
  }

  async #isAlive(claim: Claim, findNow: FindClaimsOptions["findNow"]): Promise<boolean> {
    const found = await findProcess(claim.holder, await this.#identify());
    if (found !== "unknown") return found === "running";
    const now = await findNow();
    const file = await stat(this.#pathOf(claim)).catch(ignoreMissing);
    return file !== undefined && now - file.mtimeMs < STALE_AFTER_MS;
  }

  /** The text in a claim; undefined when the claim is gone. */
  async #ownerOf(claim: Claim): Promise<string | undefined> {
    for (let attempt = 1; attempt <= TEXT_ATTEMPTS; attempt++) {
      const text = await readFile(this.#pathOf(claim), "utf8").catch(ignoreMissing);
      if (text !== "") return text?.trim();
      // The claim was created this moment, and its text is not written yet.
      await sleep(POLL_MS);
    }
    return "another process";
  }

  #pathOf({ fileName }: Claim): string {
    return join(this.#options.folder, fileName);
  }

  #identify(): Promise<ProcessIdentity> {
    this.#identity ??= identifyThisProcess(this.#options.processId);
    return this.#identity;
  }
}

class HeldLease implements RunLease {
  readonly #runId: string;
  readonly #path: string;
  readonly #owner: string;
  readonly #heartbeat: ReturnType<typeof setInterval>;
  #touchedAt = Date.now();
  #isReleased = false;

  constructor(runId: string, path: string, owner: string) {
    this.#runId = runId;
    this.#path = path;
    this.#owner = owner;
    this.#heartbeat = setInterval(() => void this.#touch(), HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  confirm(): void {
    if (Date.now() - this.#touchedAt < TRUST_MS) return;
    if (!existsSync(this.#path)) throw new RunLockedError(this.#runId);
    void this.#touch();
  }

  /** Writes instead of setting a time, so the time comes from the file system and is the same for all hosts. */
  async #touch(): Promise<void> {
    try {
      await writeFile(this.#path, claimText(this.#owner), { flag: "r+" });
      this.#touchedAt = Date.now();
    } catch {
      // The next heartbeat follows soon, and a lost claim is noticed before the next entry is written (L5).
    }
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    clearInterval(this.#heartbeat);
    await removeClaimFile(this.#path);
  }
}

function createClaim(runId: string, holder: ProcessIdentity): Claim {
  const times = [
    Date.now().toString(36).padStart(9, "0"),
    Math.floor(performance.now() * 1_000)
      .toString(36)
      .padStart(10, "0"),
  ];
  const rank = [...times, randomBytes(6).toString("hex")].join("-");
  const { processId, startedAt, machine } = holder;
  return { fileName: `${prefixOf(runId)}${rank}.${processId}.${startedAt}.${machine}`, rank, holder };
}

function prefixOf(runId: string): string {
  return `${encodeRunId(runId)}@`;
}

/** Parses a file name; empty when the file is not a claim. */
function parseClaim(fileName: string): readonly Claim[] {
  const match = /@([0-9a-z-]+)\.(\d+)\.(\d*)\.([0-9a-f]+)$/.exec(fileName);
  if (match === null) return [];
  const [, rank = "", processId, startedAt = "", machine = ""] = match;
  return [{ fileName, rank, holder: { processId: Number(processId), startedAt, machine } }];
}

async function createClaimFile(path: string, owner: string): Promise<void> {
  const file = await openClaimFile(path);
  try {
    // A claim is valid without its text, and a full disk must not prevent deleting a run.
    await file.writeFile(claimText(owner)).catch(() => undefined);
  } finally {
    await file.close();
  }
}

async function openClaimFile(path: string): Promise<FileHandle> {
  for (let attempt = 1; ; attempt++) {
    // Even this fails if another process removes the folder meanwhile: then opening says so.
    await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(ignoreExisting);
    try {
      return await open(path, "wx", 0o600);
    } catch (error) {
      // Another process removed the folder together with its last claim.
      if (attempt === FOLDER_ATTEMPTS) throw error;
      ignoreMissing(error);
    }
  }
}

/** Removes a claim, and the folder if it is empty. */
async function removeClaimFile(path: string): Promise<void> {
  // Not `rm`, which stats the file twice first.
  await unlink(path).catch(ignoreMissing);
  await rmdir(dirname(path)).catch(() => undefined);
}

function claimText(owner: string): string {
  return `${owner}\n`;
}

function describeProcess({ processId }: ProcessIdentity): string {
  return processId > 0 ? `process ${processId} on ${hostname()}` : `a process on ${hostname()}`;
}

/** For files that may not exist. @throws every other error */
export function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
  throw error;
}

/** A folder that another process removes at this moment exists and does not. */
function ignoreExisting(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "EEXIST") return;
  throw error;
}
