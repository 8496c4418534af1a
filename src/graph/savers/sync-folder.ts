import { open } from "node:fs/promises";

/** Makes the names in a folder durable. Where the system cannot sync a folder (Windows), it does so in its own time. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // The name is in place already; only its order relative to a power failure is the system's to choose.
  }
}
