import { assertOptions } from "../options/check-call.ts";
import type { FileSaverOptions } from "./file-store.ts";
import { LazySaver } from "./lazy-saver.ts";
import { FILE_SAVER_OPTIONS } from "./saver-options.ts";

/**
 * Keeps each run's journal in a text file of its own, `<run id>.journal`, to which lines are only ever appended. Works
 * on Bun and on Node 20 and later. Several processes may use the folder at once; each run has one writer (E9), whose
 * claim stands in the folder `.locks` until it lets go or its process ends, `kill -9` included. Between computers that
 * share the folder, a run is free 30 seconds after the computer of its writer was last heard of.
 *
 * ```ts
 * const result = await research.run({ topic: "caching" }, { checkpointer: new FileSaver("./runs") });
 * ```
 */
export class FileSaver extends LazySaver {
  /** @param options the folder, or all settings. @throws InvalidOptionsError */
  constructor(options: string | FileSaverOptions) {
    const settings = typeof options === "string" ? { directory: options } : options;
    assertOptions("new FileSaver", settings, { table: FILE_SAVER_OPTIONS });
    super(async () => {
      const { FileStore } = await import("./file-store.ts");
      return new FileStore(settings);
    });
  }
}
