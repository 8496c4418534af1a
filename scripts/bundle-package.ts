import { join } from "node:path";
import { type ModuleInfo, type Plugin, rolldown } from "rolldown";
import manifest from "../package.json";

const ROOT = join(import.meta.dirname, "..");

/** What a program that imports `./graph` loads at once, and what comes with its first run: one file each. */
const GROUPS = {
  graph: "src/graph/index.ts",
  engine: "src/graph/start-run.ts",
} as const;

/**
 * Bundles the package for Node: a file for each of its `exports`, and what is imported late in files of its own, the
 * parts that several share as well. All that a first run adds is one file, because each further one costs a process about
 * a third of a millisecond at its start.
 * @param folder where the files go, in the layout of `src/`
 */
export async function bundlePackage(folder: string): Promise<void> {
  const graph = new ImportGraph();
  const groups = Object.entries(GROUPS).map(([name, entry], index, all) => ({
    name,
    test: (id: string) => graph.reachedFrom(join(ROOT, entry)).has(id),
    priority: all.length - index,
  }));
  const build = await rolldown({
    cwd: ROOT,
    input: listEntryPoints(),
    platform: "node",
    external: (id) => !id.startsWith(".") && !id.startsWith("/"),
    preserveEntrySignatures: "strict",
    plugins: [graph.plugin],
  });
  await build.write({
    dir: folder,
    format: "es",
    sourcemap: true,
    comments: false,
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: { groups },
  });
  await build.close();
}

/** The source files behind the package's `exports`, by what becomes of them. */
function listEntryPoints(): Readonly<Record<string, string>> {
  const sources = Object.values(manifest.exports).flatMap((entry) => (typeof entry === "string" ? [] : [entry.bun]));
  return Object.fromEntries(sources.map((source) => [source.replace(/^\.\/src\/|\.ts$/g, ""), join(ROOT, source)]));
}

/** Which files import which, without what they import late. */
class ImportGraph {
  readonly plugin: Plugin;
  readonly #reached = new Map<string, ReadonlySet<string>>();
  #infoOf: (id: string) => ModuleInfo | null = () => null;

  constructor() {
    const listen = (infoOf: (id: string) => ModuleInfo | null) => {
      this.#infoOf = infoOf;
    };
    this.plugin = {
      name: "import-graph",
      buildEnd() {
        listen((id) => this.getModuleInfo(id));
      },
    };
  }

  /** A file, and all that is loaded with it. */
  reachedFrom(entry: string): ReadonlySet<string> {
    const known = this.#reached.get(entry);
    if (known !== undefined) return known;
    const reached = new Set([entry]);
    for (const id of reached) for (const imported of this.#infoOf(id)?.importedIds ?? []) reached.add(imported);
    this.#reached.set(entry, reached);
    return reached;
  }
}
