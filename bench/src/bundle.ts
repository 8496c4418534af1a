import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bundlePackage } from "../../scripts/bundle-package.ts";
import type { Runtime } from "./runtimes.ts";
import type { EngineName } from "./scenarios.ts";

/** The bundled programs. */
export interface Bundle {
  /** A folder for this run only; the caller removes it. */
  readonly folder: string;
  readonly measureFile: string;
  /** The engine as the measuring program uses it. */
  engineFile(engine: EngineName): string;
  /** What a runtime is called with to import the engine and run one node; for the loop an empty program. */
  startArguments(engine: EngineName, runtime: Runtime): readonly string[];
}

/** The other engines; each has a file in `peers/` and one in `peers/starts/`. */
const PEERS = ["langgraph", "mastra", "xstate"] as const;

/**
 * Bundles the measuring program and each engine into files that Bun and every Node can run. Atomic goes into its bundle
 * whole, from source; the packages of the other engines stay what npm installed.
 */
export async function bundleEngines(benchFolder: string): Promise<Bundle> {
  // Inside bench/, so that the bundles find bench/node_modules, and on the disk that the repository is on.
  const folder = await mkdtemp(join(benchFolder, "node_modules/.run-"));
  const atomicEntry = join(benchFolder, "../src/graph/index.ts");
  const entrypoints = [
    "src/measure.ts",
    "src/engines/loop.ts",
    "src/engines/atomic.ts",
    "src/starts/start-loop.ts",
    "src/starts/start-atomic.ts",
    ...PEERS.flatMap((name) => [`peers/${name}.ts`, `peers/starts/start-${name}.ts`]),
  ];
  for (const entrypoint of entrypoints) await bundleFile(join(benchFolder, entrypoint), folder);
  await bundlePackage(join(folder, "package"));
  await writeFile(join(folder, "package/package.json"), '{ "type": "module" }\n');
  return {
    folder,
    measureFile: join(folder, "measure.mjs"),
    engineFile: (engine) => join(folder, `${engine}.mjs`),
    startArguments: (engine, runtime) => {
      const program = join(folder, `start-${engine}.mjs`);
      if (engine !== "atomic") return [program];
      // Bun imports the source, as the package's exports say, and Node what the build bundles.
      return [program, runtime.readsTypeScript ? atomicEntry : join(folder, "package/graph/index.js")];
    },
  };
}

async function bundleFile(entrypoint: string, folder: string): Promise<void> {
  const built = await Bun.build({
    entrypoints: [entrypoint],
    outdir: folder,
    naming: "[name].mjs",
    minify: true,
    target: "node",
    throw: false,
    packages: "external",
  });
  if (!built.success) throw new Error(`${entrypoint} could not be bundled:\n${built.logs.join("\n")}`);
}
