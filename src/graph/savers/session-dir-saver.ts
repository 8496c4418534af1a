import { LazySaver } from "./lazy-saver.ts";
import type { SessionDirSaverOptions } from "./session-dir-store.ts";

/**
 * Keeps journals in `checkpoints/` of a session's directory, as a {@link FileSaver} does: one directory for all runs, or
 * for each run the one that a function names.
 *
 * ```ts
 * new SessionDirSaver("/home/me/.atomic/workflows/sessions/4f2a");
 * new SessionDirSaver((runId) => store.directoryOf(runId), { sessionDirectories: () => store.directories() });
 * ```
 */
export class SessionDirSaver extends LazySaver {
  constructor(sessionDirectory: string | ((runId: string) => string), options: SessionDirSaverOptions = {}) {
    super(async () => {
      const { SessionDirStore } = await import("./session-dir-store.ts");
      return new SessionDirStore(sessionDirectory, options);
    });
  }
}
