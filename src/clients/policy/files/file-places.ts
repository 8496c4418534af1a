import { lstat } from "node:fs/promises";

/** Whether something exists there, a broken link included. Never rejects. */
export async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}
