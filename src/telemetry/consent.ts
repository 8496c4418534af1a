import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AtomicError, isRecord, messageOf } from "../contracts/index.ts";
import { FileUnusableError, readBoundedFileSync, replaceFile } from "../system/index.ts";

/** What a person decided: `unset` before they did. */
export type TelemetryConsent = "on" | "off" | "unset";

/** The decision of a person cannot be stored. */
export class ConsentNotStoredError extends AtomicError {
  constructor(
    readonly path: string,
    cause: unknown,
  ) {
    super(
      "CONSENT_NOT_STORED",
      `Your decision about telemetry cannot be stored in ${path}: ${messageOf(cause)}. Make the folder writable, or set ATOMIC_TELEMETRY=0 to turn telemetry off without it.`,
      { cause },
    );
  }
}

const CONSENT_FILE = "consent.json";
const ID_FILE = "anonymous-id";

/** Files of telemetry's own state are small. In bytes. */
const MAX_BYTES = 10_000;

/** What {@link readConsent} returns. */
export interface StoredConsent {
  readonly consent: TelemetryConsent;
  /** Why the file with the decision cannot be used; then it counts as a no. */
  readonly problem?: string | undefined;
}

/** Reads a person's decision. A file that cannot be used counts as a no: then nothing is sent. */
export function readConsent(folder: string): StoredConsent {
  const path = join(folder, CONSENT_FILE);
  let text: string;
  try {
    text = readBoundedFileSync(path, MAX_BYTES);
  } catch (error) {
    if (isRecord(error) && error.code === "ENOENT") return { consent: "unset" };
    return broken(path, error instanceof FileUnusableError ? error.reason : `cannot be read: ${messageOf(error)}`);
  }
  try {
    const stored: unknown = JSON.parse(text);
    const consent = isRecord(stored) ? stored.consent : undefined;
    return consent === "on" || consent === "off" ? { consent } : broken(path, "contains no decision");
  } catch {
    return broken(path, "is no valid JSON");
  }
}

function broken(path: string, reason: string): StoredConsent {
  return { consent: "off", problem: `${path} ${reason}` };
}

/** Stores a person's decision. @throws ConsentNotStoredError */
export async function storeConsent(
  folder: string,
  consent: Exclude<TelemetryConsent, "unset">,
  now: () => Date = () => new Date(),
): Promise<void> {
  const path = join(folder, CONSENT_FILE);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await replaceFile(path, `${JSON.stringify({ consent, decidedAt: now().toISOString() })}\n`);
  } catch (error) {
    throw new ConsentNotStoredError(path, error);
  }
}

/**
 * The random id of this installation, which is created at the first call. It says nothing about the user or the machine;
 * deleting the file `anonymous-id` changes it. Where it cannot be stored, each call returns another one.
 */
export function anonymousIdIn(folder: string): string {
  const path = join(folder, ID_FILE);
  const stored = readId(path);
  if (stored !== undefined) return stored;
  const id = randomUUID();
  const temporary = `${path}.${id}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(temporary, `${id}\n`, { mode: 0o600 });
    // Fails if another process has just created it: both then use that one.
    linkSync(temporary, path);
  } catch {
    return readId(path) ?? id;
  } finally {
    removeIfPossible(temporary);
  }
  return id;
}

/** A file that was never written cannot be removed. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Nothing else is wrong: the id is known.
  }
}

function readId(path: string): string | undefined {
  try {
    const id = readBoundedFileSync(path, MAX_BYTES).trim();
    return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
