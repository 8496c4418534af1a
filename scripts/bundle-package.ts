import { join } from "node:path";
import { rolldown } from "rolldown";
import manifest from "../package.json";

const ROOT = join(import.meta.dirname, "..");

/**
 * Bundles the package for Node: a file for each of its `exports`, and files for what several of them share.
 * @param folder where the files go, in the layout of `src/`
 */
export async function bundlePackage(folder: string): Promise<void> {
  const build = await rolldown({
    cwd: ROOT,
    input: listEntryPoints(),
    platform: "node",
    external: (id) => !id.startsWith(".") && !id.startsWith("/"),
    preserveEntrySignatures: "strict",
  });
  await build.write({
    dir: folder,
    format: "es",
    sourcemap: true,
    comments: false,
    chunkFileNames: "[name]-[hash].js",
  });
  await build.close();
}

/** The source files of the package's `exports`, by the name of their bundle. */
function listEntryPoints(): Readonly<Record<string, string>> {
  const sources = Object.values(manifest.exports).flatMap((entry) => (typeof entry === "string" ? [] : [entry.bun]));
  return Object.fromEntries(sources.map((source) => [source.replace(/^\.\/src\/|\.ts$/g, ""), join(ROOT, source)]));
}
