import { spawnSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { bundlePackage } from "./bundle-package.ts";

// Builds dist/ for Node: the bundles of the package, and the declarations of all files.

const ROOT = join(import.meta.dirname, "..");

function run(program: string, args: readonly string[]): void {
  const { status } = spawnSync(program, args, { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) throw new Error(`The build failed: ${program} ${args.join(" ")} ended with exit code ${status}.`);
}

await rm(join(ROOT, "dist"), { recursive: true, force: true });
await bundlePackage(join(ROOT, "dist"));
run("node", ["node_modules/typescript/bin/tsc", "--project", "tsconfig.build.json"]);
