import type { MetricValues } from "./metrics.ts";

/** The size of everything that a file exports, with all packages that it needs, as one minified file. */
export async function measureBundle(file: string): Promise<MetricValues> {
  const built = await Bun.build({ entrypoints: [file], target: "node", format: "esm", minify: true, throw: false });
  const output = built.outputs[0];
  if (!built.success || output === undefined) throw new Error(`Error: ${file} could not be bundled: ${built.logs}`);
  const bytes = new Uint8Array(await output.arrayBuffer());
  return { bundleBytes: bytes.length, gzippedBytes: Bun.gzipSync(bytes).length };
}
