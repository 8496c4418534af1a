import { readlink, realpath } from "node:fs/promises";
import path from "node:path";
import type { PermissionRequest } from "../../../contracts/index.ts";
import { gitFoldersOf } from "./git-folders.ts";

/** Where relative paths start from: an absolute folder. */
interface RealNameOptions {
  readonly workingDirectory: string;
}

/**
 * The request with the files that its links lead to, so that a policy judges what would really be read or written and a
 * person sees it, and for an edit with the git folders that these files lie in. Only what is read or edited is a file that
 * can be a link.
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

/** The name of a file and, where a link leads elsewhere, the real one. Both arguments are absolute. Never rejects. */
export async function namesOf(file: string, workingDirectory: string): Promise<readonly string[]> {
  const [real, realFolder] = await Promise.all([realNameOf(file), realNameOf(workingDirectory)]);
  const inside = path.relative(realFolder, real);
  // The folder itself may lie behind a link: what is in it is known by the folder's own name.
  const isInside = inside !== ".." && !inside.startsWith(`..${path.sep}`) && !path.isAbsolute(inside);
  const target = isInside ? path.join(workingDirectory, inside) : real;
  return [...new Set([file, target])];
}

/** A file that is not there yet would be made where its folder is, or where a link to nothing points. */
async function realNameOf(file: string): Promise<string> {
  const parent = path.dirname(file);
  if (parent === file) return file;
  return realpath(file).catch(async (error: NodeJS.ErrnoException) => {
    const realParent = await realNameOf(parent);
    // Links in a circle have another code, so this comes to an end.
    const target = error.code === "ENOENT" ? await readlink(file).catch(() => undefined) : undefined;
    return target === undefined
      ? path.join(realParent, path.basename(file))
      : realNameOf(path.resolve(realParent, target));
  });
}

/** So many links are followed, as the system does. */
const MAX_LINKS = 40;

/** A path that means another file to each process that opens it. */
const OF_PROCESS = /^\/(?:proc\/(?:self|thread-self|\d+)|dev\/(?:fd|std\w+))(?:\/|$)/;

/**
 * Whether an absolute path leads through a place such as `/proc/self`, by itself or by a link: Atomic cannot see which file
 * that is to another process. Never rejects.
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
