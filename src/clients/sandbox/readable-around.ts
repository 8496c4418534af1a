import { type Dirent, readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { SandboxInvalidError } from "../../contracts/index.ts";
import { isWithin } from "../../system/index.ts";

/** Each is a separate mount, and a sandbox can have about 3000. */
const MAX_PARTS = 2_000;

/** The exceptions in a readable folder. */
interface Within {
  /** Folders that may be written to. */
  readonly writable: readonly string[];
  /** What must not be read. */
  readonly hidden: readonly string[];
  /** Folders in which new files can be created and are discarded. @default none */
  readonly opened?: readonly string[];
}

/**
 * The readable paths, split so that writable folders in them stay writable: mounting a readable folder would hide them. A
 * split folder is replaced by its present entries. Links that lead out of the folder are skipped. All are real paths.
 * @throws SandboxInvalidError if a folder has too many entries for that
 */
export function readableAround(readable: readonly string[], within: Within): readonly string[] {
  const parts = new Set<string>();
  for (const folder of readable) {
    for (const part of partsOf(folder, { ...within, root: folder })) parts.add(part);
    if (parts.size <= MAX_PARTS) continue;
    const problem = `"${folder}" holds more than ${MAX_PARTS} files beside the folders in it that may be written to. Name those of its folders that are to be read.`;
    throw new SandboxInvalidError("sandbox.readRoots", problem);
  }
  return [...parts];
}

function partsOf(file: string, parts: Within & { readonly root: string }): readonly string[] {
  const { writable, hidden, opened = [], root } = parts;
  if (file !== root && hidden.some((secret) => isWithin(file, secret))) return [];
  // Writable paths are readable as well.
  if (writable.some((folder) => isWithin(file, folder))) return [];
  const isSplit =
    opened.includes(file) || [...writable, ...opened].some((folder) => folder !== file && isWithin(folder, file));
  if (file === "/" || !isSplit) return [file];
  return entriesOf(file).flatMap((entry) => {
    const name = path.join(file, entry.name);
    if (!entry.isSymbolicLink()) return partsOf(name, parts);
    return leadsInto(root, name) ? [name] : [];
  });
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // Nobody in the sandbox can list it either.
  }
}

function leadsInto(root: string, link: string): boolean {
  try {
    return isWithin(realpathSync(link), root);
  } catch {
    return false; // It leads nowhere.
  }
}
