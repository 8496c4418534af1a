import path from "node:path";

/** Whether a path is a folder or is in it. Both are absolute; links are not followed. Pure. */
export function isWithin(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
