import { readlink, realpath } from "node:fs/promises";
import path from "node:path";
import type { PermissionRequest } from "../../contracts/index.ts";

/** Where relative paths start from: an absolute folder. */
interface RealNameOptions {
  readonly workingDirectory: string;
}

/**
 * The request with the files that its links lead to, so that a policy judges what would really be read or written and a
 * person sees it. Only what is read or edited is a file that can be a link.
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
  if (targets.size === 0) return request;
  return { ...request, paths: [...paths, ...targets], title: `${title} (leads to ${[...targets].join(", ")})` };
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
