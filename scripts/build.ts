import { spawnSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import manifest from "../package.json";

// Builds dist/ for Node: each entry point of the package bundled into one ES module, and the declarations of all files.

const ROOT = join(import.meta.dirname, "..");

/** The source files behind the package's `exports`. */
function listEntryPoints(): readonly string[] {
  return Object.values(manifest.exports).flatMap((entry) => (typeof entry === "string" ? [] : [entry.bun]));
}

function run(program: string, args: readonly string[]): void {
  const { status } = spawnSync(program, args, { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) throw new Error(`The build failed: ${program} ${args.join(" ")} ended with exit code ${status}.`);
}

await rm(join(ROOT, "dist"), { recursive: true, force: true });
const bundleFlags = ["--target=node", "--format=esm", "--packages=external", "--splitting", "--sourcemap=linked"];
run(process.execPath, ["build", ...bundleFlags, "--root=src", "--outdir=dist", ...listEntryPoints()]);
run("node", ["node_modules/typescript/bin/tsc", "--project", "tsconfig.build.json"]);
