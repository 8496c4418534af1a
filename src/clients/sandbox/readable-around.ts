import { type Dirent, readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { SandboxInvalidError } from "../../contracts/index.ts";
import { isWithin } from "../policy/files/file-places.ts";

/** Each is a mount of its own, of which a sandbox can have about 3000. */
const MAX_PARTS = 2_000;

/** What lies in a folder that may be read, and is not what it looks like. */
interface Within {
  /** Folders that may be written to. */
  readonly writable: readonly string[];
  /** What must not be read. */
  readonly hidden: readonly string[];
  /** Folders in which new files can be made, that are discarded. @default none */
  readonly opened?: readonly string[];
}

/**
 * What may be read, in a form that leaves the folders writable that lie in it: a readable folder would be laid over them. In
 * its place comes what it holds beside them, as it is now. Links that lead out of the folder are left out. All are real paths.
 * @throws SandboxInvalidError where a folder holds too much for that
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
  // What may be written to can be read as well.
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
