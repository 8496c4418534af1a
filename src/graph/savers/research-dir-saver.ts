import { assertOptions } from "../options/check-call.ts";
import { isObject } from "../options/option-checks.ts";
import { LazySaver } from "./lazy-saver.ts";
import type { ResearchDirSaverOptions } from "./research-dir-store.ts";
import { RESEARCH_DIR_OPTIONS } from "./saver-options.ts";

/**
 * Keeps journals in `research/checkpoints/` of a project, as a {@link FileSaver} does, and beside each a page for people,
 * `<run id>.md`: what the run is, how it stands and its latest state. The page is written when a process's part in the
 * run ends; a page that cannot be written does not harm the run.
 *
 * ```ts
 * new ResearchDirSaver(); // in the working directory
 * new ResearchDirSaver("/home/me/project");
 * ```
 */
export class ResearchDirSaver extends LazySaver {
  /** @param projectRoot the folder that `research/` is in, or gets @throws InvalidOptionsError */
  constructor(projectRoot = ".", options: ResearchDirSaverOptions = {}) {
    const given = isObject(options) ? { ...options, projectRoot } : options;
    assertOptions("new ResearchDirSaver", given, { table: RESEARCH_DIR_OPTIONS });
    super(async () => {
      const { ResearchDirStore } = await import("./research-dir-store.ts");
      return new ResearchDirStore(projectRoot, options);
    });
  }
}
