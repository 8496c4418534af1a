import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bundlePackage } from "../../scripts/bundle-package.ts";
import { OWN_NODE } from "./install.ts";
import type { Runtime } from "./runtimes.ts";
import type { EngineName } from "./scenarios.ts";

/** The bundled programs. */
export interface Bundle {
  /** A folder of this run alone; whoever asked for the bundle removes it. */
  readonly folder: string;
  readonly measureFile: string;
  /** The engine as the measuring program uses it. */
  engineFile(engine: EngineName): string;
  /** What a runtime is called with to import the engine and run one node; for the loop an empty program. */
  startArguments(engine: EngineName, runtime: Runtime): readonly string[];
  /** A file that exports everything that the engine exports. */
  sizeFile(engine: EngineName): string;
  /** What has the engine run one node and prints which files that loads; only known of Atomic. */
  firstRun(engine: EngineName): readonly [program: string, ...args: string[]] | undefined;
}

/** What a peer's users import to write a graph. */
const ENTRY_POINTS = {
  langgraph: "@langchain/langgraph",
  mastra: "@mastra/core/workflows",
  xstate: "xstate",
} as const;

/**
 * Bundles the measuring program and each engine into files that Bun and every Node can run. Atomic goes into its bundle
 * whole, from source; the packages of the other engines stay what npm installed.
 */
export async function bundleEngines(benchFolder: string): Promise<Bundle> {
  // Inside bench/, so that the bundles find bench/node_modules, and on the disk that the repository is on.
  const folder = await mkdtemp(join(benchFolder, "node_modules/.run-"));
  const atomicEntry = join(benchFolder, "../src/graph/index.ts");
  const entrypoints = [
    "../src/graph/index.ts",
    "src/measure.ts",
    "src/engines/loop.ts",
    "src/engines/atomic.ts",
    "src/starts/start-loop.ts",
    "src/starts/start-atomic.ts",
    ...Object.keys(ENTRY_POINTS).flatMap((name) => [`peers/${name}.ts`, `peers/starts/start-${name}.ts`]),
  ];
  for (const entrypoint of entrypoints) await bundleFile(join(benchFolder, entrypoint), folder);
  await bundlePackage(join(folder, "package"));
  await writeFile(join(folder, "package/package.json"), '{ "type": "module" }\n');
  const exported = { atomic: atomicEntry, ...ENTRY_POINTS };
  for (const [name, from] of Object.entries(exported)) {
    await writeFile(join(folder, `size-${name}.ts`), `export * from ${JSON.stringify(from)};\n`);
  }
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
    sizeFile: (engine) => join(folder, `size-${engine}.ts`),
    firstRun: (engine) => {
      if (engine !== "atomic") return;
      const preload = join(benchFolder, "src/starts/list-loaded.mjs");
      const program = [join(folder, "start-atomic.mjs"), join(folder, "index.mjs")];
      return [join(benchFolder, OWN_NODE), "--import", preload, ...program];
    },
  };
}

async function bundleFile(entrypoint: string, folder: string): Promise<void> {
  const built = await Bun.build({
    entrypoints: [entrypoint],
    outdir: folder,
    // As a published build would be: what is imported late is a file of its own.
    naming: { entry: "[name].mjs", chunk: "[name]-[hash].mjs" },
    splitting: true,
    minify: true,
    target: "node",
    throw: false,
    packages: "external",
  });
  if (!built.success) throw new Error(`${entrypoint} could not be bundled:\n${built.logs.join("\n")}`);
}
