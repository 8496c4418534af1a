import { join } from "node:path";
import { rolldown } from "rolldown";
import manifest from "../package.json";
import { listEntryPoints } from "./entry-points.ts";

const ROOT = join(import.meta.dirname, "..");

/**
 * Bundles the package for Node: a file for each of its `exports`, and files for what several of them share.
 * Their source maps name the files of `src/`, which are in the package, too, and do not repeat them.
 * @param folder where the files go, in the layout of `src/`
 */
export async function bundlePackage(folder: string): Promise<void> {
  const build = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(listEntryPoints().map(({ path }) => [path, join(ROOT, "src", `${path}.ts`)])),
    platform: "node",
    external: (id) => !id.startsWith(".") && !id.startsWith("/"),
    preserveEntrySignatures: "strict",
  });
  await build.write({
    dir: folder,
    format: "es",
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: false,
    banner: checkNode(manifest.engines.node.replace(">=", "")),
    chunkFileNames: "[name]-[hash].js",
  });
  await build.close();
}

/** Code for any Node, which throws when it is too old: it would fail later, and not say why. */
function checkNode(least: string): string {
  const [major, minor] = least.split(".");
  return `{
  const { node = "${least}", bun } = globalThis.process?.versions ?? {};
  const [major, minor] = node.split(".").map(Number);
  if (bun === undefined && (major < ${major} || (major === ${major} && minor < ${minor})))
    throw new Error(\`${manifest.name} needs Node ${least} or newer, and this is Node \${node}.\`);
}`;
}
