import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";

/** The bundled programs. */
export interface Bundle {
  /** A folder of this run alone; whoever asked for the bundle removes it. */
  readonly folder: string;
  readonly measureFile: string;
  /** By the engine's name. */
  engineFile(engine: string): string;
}

/**
 * Bundles the measuring program and each engine into files that Bun and every Node can run. Atomic goes into its bundle
 * whole, from source; the packages of the other engines stay what npm installed.
 */
export async function bundleEngines(benchFolder: string): Promise<Bundle> {
  // Inside bench/, so that the bundles find bench/node_modules, and on the disk that the repository is on.
  const folder = await mkdtemp(join(benchFolder, "node_modules/.run-"));
  const entrypoints = ["src/measure.ts", "src/engines/loop.ts", "src/engines/atomic.ts", "peers/langgraph.ts"];
  for (const entrypoint of entrypoints) {
    const built = await Bun.build({
      entrypoints: [join(benchFolder, entrypoint)],
      outdir: folder,
      naming: "[name].mjs",
      target: "node",
      throw: false,
      external: ["@langchain/*", "better-sqlite3"],
    });
    if (!built.success) throw new Error(`${entrypoint} could not be bundled:\n${built.logs.join("\n")}`);
  }
  return {
    folder,
    measureFile: join(folder, "measure.mjs"),
    engineFile: (engine) => join(folder, `${engine}.mjs`),
  };
}
