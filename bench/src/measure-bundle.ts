import { execFile } from "node:child_process";
import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { MetricValues } from "./metrics.ts";

const run = promisify(execFile);

/** What is bundled, and how to see what a program loads of it. */
export interface BundleSubject {
  /** Exports everything that the engine exports. */
  readonly sizeFile: string;
  /** Imports the engine, runs a graph, and prints a list of the URLs of all files that it has loaded. */
  readonly firstRun: readonly [program: string, ...args: string[]] | undefined;
}

/**
 * The size of an engine with all packages that it needs, minified: everything in one file; the part that an import of it
 * loads at once, when late imports are files of their own; and all that a program has loaded after a first run.
 */
export async function measureBundle({ sizeFile, firstRun }: BundleSubject): Promise<MetricValues> {
  const settings: Bun.BuildConfig = {
    entrypoints: [sizeFile],
    target: "node",
    format: "esm",
    minify: true,
    throw: false,
  };
  const whole = await Bun.build(settings);
  const output = whole.outputs[0];
  if (!whole.success || output === undefined) throw unbundled(sizeFile, whole.logs);
  const bytes = new Uint8Array(await output.arrayBuffer());
  const split = await Bun.build({ ...settings, splitting: true, metafile: true });
  if (!split.success || split.metafile === undefined) throw unbundled(sizeFile, split.logs);
  const sizes = { bundleBytes: bytes.length, gzippedBytes: Bun.gzipSync(bytes).length };
  const eager = { eagerBytes: sumEager(split.metafile.outputs, await realpath(sizeFile)) };
  return { ...eager, ...(firstRun === undefined ? {} : { firstRunBytes: await sumLoaded(firstRun) }), ...sizes };
}

/** The bytes of the entry point and of all files that it imports, directly or not, other than by `import()`. */
function sumEager(outputs: Bun.BuildMetafile["outputs"], mainFile: string): number {
  // Late imports are entry points too.
  const isMain = ({ entryPoint }: { readonly entryPoint?: string }): boolean =>
    entryPoint !== undefined && resolve(entryPoint) === mainFile;
  const main = Object.entries(outputs).find(([, output]) => isMain(output))?.[0];
  if (main === undefined) throw new Error(`Error: no file of the bundle is that of ${mainFile}.`);
  // A set goes on with what is added to it meanwhile.
  const eager = new Set([main]);
  for (const path of eager) {
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement" && imported in outputs) eager.add(imported);
    }
  }
  return [...eager].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0);
}

async function sumLoaded([program, ...args]: readonly [string, ...string[]]): Promise<number> {
  const { stdout } = await run(program, args, { env: { PATH: process.env.PATH, NODE_ENV: "production" } });
  // The cast is true: that is what list-loaded.mjs prints as the last line.
  const urls = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as readonly string[];
  if (urls.length === 0) throw new Error(`Error: ${[program, ...args].join(" ")} says that it loaded no file.`);
  const sizes = await Promise.all(urls.map(async (url) => (await stat(fileURLToPath(url))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function unbundled(file: string, logs: readonly unknown[]): Error {
  return new Error(`Error: ${file} could not be bundled: ${logs}`);
}
