import { readlink, realpath } from "node:fs/promises";
import path from "node:path";
import type { PermissionRequest } from "../../../contracts/index.ts";
import { isWithin } from "../../../system/index.ts";
import { gitFoldersOf } from "./git-folders.ts";

/** The absolute folder that relative paths start from. */
interface RealNameOptions {
  readonly workingDirectory: string;
}

/**
 * The request with the targets of its links, so that the policy evaluates, and a person sees, what would really be read or
 * written. An edit also gets the git folders around these files. Only paths that are read or edited can be links.
 */
export async function withRealNames(
  request: PermissionRequest,
  { workingDirectory }: RealNameOptions,
): Promise<PermissionRequest> {
  const { kind, paths, title } = request;
  if (kind !== "read" && kind !== "edit") return request;
  const found = await Promise.all(
    paths.map((named) => namesOf(path.resolve(workingDirectory, named), workingDirectory)),
  );
  const known = new Set(paths.map((named) => path.resolve(workingDirectory, named)));
  const targets = new Set(found.flat().filter((name) => !known.has(name)));
  const gitFolders = kind === "edit" ? await gitFoldersOf([...known, ...targets], { workingDirectory }) : [];
  const judged = gitFolders.length === 0 ? request : { ...request, gitFolders };
  if (targets.size === 0) return judged;
  return { ...judged, paths: [...paths, ...targets], title: `${title} (leads to ${[...targets].join(", ")})` };
}

/** A file's path and, if a link leads elsewhere, its real path. Both arguments are absolute. Never rejects. */
export async function namesOf(file: string, workingDirectory: string): Promise<readonly string[]> {
  const [real, realFolder] = await Promise.all([realNameOf(file), realNameOf(workingDirectory)]);
  // A link may lead to the folder itself: its content goes by the folder's own name.
  const target = isWithin(real, realFolder) ? path.join(workingDirectory, path.relative(realFolder, real)) : real;
  return [...new Set([file, target])];
}

/** A missing file would be created in its folder, or at the target of a broken link. */
async function realNameOf(file: string): Promise<string> {
  const parent = path.dirname(file);
  if (parent === file) return file;
  return realpath(file).catch(async (error: NodeJS.ErrnoException) => {
    const realParent = await realNameOf(parent);
    // A cycle of links has another code, so this ends.
    const target = error.code === "ENOENT" ? await readlink(file).catch(() => undefined) : undefined;
    return target === undefined
      ? path.join(realParent, path.basename(file))
      : realNameOf(path.resolve(realParent, target));
  });
}

/** The most links that are followed, as in the system. */
const MAX_LINKS = 40;

/** A path that leads each process to a different file. */
const OF_PROCESS = /^\/(?:proc\/(?:self|thread-self|\d+)|dev\/(?:fd|std\w+))(?:\/|$)/;

/**
 * Whether an absolute path leads, directly or through a link, into a place such as `/proc/self`. Atomic cannot determine
 * which file that is for another process. Never rejects.
 */
export async function dependsOnProcess(file: string): Promise<boolean> {
  let left = path.resolve("/", file).split(path.sep).filter(Boolean);
  let folder = path.parse(path.resolve("/")).root;
  for (let links = 0; left.length > 0 && links < MAX_LINKS; ) {
    const [name = "", ...rest] = left;
    const place = path.join(folder, name);
    if (OF_PROCESS.test(path.join(place, ...rest)) || OF_PROCESS.test(place)) return true;
    const target = await readlink(place).catch(() => undefined);
    if (target === undefined) {
      folder = place;
      left = rest;
      continue;
    }
    links += 1;
    left = path
      .resolve(folder, target, ...rest)
      .split(path.sep)
      .filter(Boolean);
    folder = path.parse(folder).root;
  }
  return false;
}
