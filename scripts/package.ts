import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { packStaged, stagePackage } from "./stage-package.ts";

// Makes the npm package in build/: the folder `package`, and its archive, which `npm publish` takes. Prints its path.
// In a workflow of GitHub, the package names its repository.

const ROOT = join(import.meta.dirname, "..");
const BUILD = join(ROOT, "build");

const { status } = spawnSync("npm", ["run", "--silent", "build"], { cwd: ROOT, stdio: ["ignore", 2, 2] });
if (status !== 0) throw new Error(`The package was not made, because npm run build ended with exit code ${status}.`);
const folder = join(BUILD, "package");
await stagePackage(folder, { repository: process.env.GITHUB_REPOSITORY });
console.log(await packStaged(folder, BUILD));
