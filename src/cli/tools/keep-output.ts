import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { truncateToolOutput } from "../../clients/index.ts";
import { messageOf, noRedaction, type Redactor } from "../../contracts/index.ts";
import type { BoundOutput } from "../../discovery/index.ts";

/** What an agent is shown of one call, the line about the rest included. */
const MAX_LINES = 2_000;
const MAX_BYTES = 51_200;
/** The rest of the line about what is missing, without the path. */
const NOTE_BYTES = 200;

/** How long whole outputs are kept. */
const KEEP_DAYS = 7;
const DAY_MS = 86_400_000;

/** Where whole outputs are kept, in the user's own Atomic folder. */
export function toolOutputFolder(atomicHome: string): string {
  return join(atomicHome, "tool-output");
}

/**
 * Limits a tool's text to 2,000 lines and 50 KiB. The whole text is kept for a week in a file that the shortened one
 * names. If the file cannot be written, the text says so.
 */
export function createOutputLimit(folder: string, redactor: Redactor = noRedaction): BoundOutput {
  return async (text, toolName) => {
    if (truncateToolOutput(text, { maxLines: MAX_LINES, maxBytes: MAX_BYTES }) === text) return text;
    const remark = await keep(redactor.text(text), folder, toolName);
    const maxBytes = MAX_BYTES - NOTE_BYTES - Buffer.byteLength(remark);
    return truncateToolOutput(text, { maxLines: MAX_LINES - 1, maxBytes, remark });
  };
}

async function keep(text: string, folder: string, toolName: string): Promise<string> {
  const name = `${toolName}-${new Date().toISOString().replace(/[:.]/g, "-")}-${randomBytes(3).toString("hex")}.txt`;
  const path = join(folder, name);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(path, text, { mode: 0o600, flag: "wx" });
    await removeOld(folder);
    return `the whole output is in ${path}`;
  } catch (error) {
    return `the whole output could not be kept: ${messageOf(error)}`;
  }
}

async function removeOld(folder: string): Promise<void> {
  const oldest = Date.now() - KEEP_DAYS * DAY_MS;
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".txt")) continue;
    const path = join(folder, name);
    // Another process may have removed it meanwhile.
    const status = await stat(path).catch(() => undefined);
    if (status !== undefined && status.mtimeMs < oldest) await rm(path, { force: true });
  }
}
