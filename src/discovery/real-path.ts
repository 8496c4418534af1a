import { realpathSync } from "node:fs";
import { resolve } from "node:path";

/** A path with all links followed, without a trailing slash; unchanged if it does not exist. Must not throw. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
