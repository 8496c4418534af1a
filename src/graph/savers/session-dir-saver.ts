import { assertOptions } from "../options/check-call.ts";
import { isObject } from "../options/option-checks.ts";
import { LazySaver } from "./lazy-saver.ts";
import { SESSION_DIR_OPTIONS } from "./saver-options.ts";
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
  /** @throws InvalidOptionsError */
  constructor(sessionDirectory: string | ((runId: string) => string), options: SessionDirSaverOptions = {}) {
    const given = isObject(options) ? { ...options, sessionDirectory } : options;
    assertOptions("new SessionDirSaver", given, { table: SESSION_DIR_OPTIONS });
    super(async () => {
      const { SessionDirStore } = await import("./session-dir-store.ts");
      return new SessionDirStore(sessionDirectory, options);
    });
  }
}
