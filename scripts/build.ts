import { rm } from "node:fs/promises";
import { join } from "node:path";
import { bundlePackage } from "./bundle-package.ts";
import { bundleTypes } from "./bundle-types.ts";

// Builds dist/ for Node: the bundles of the package, and their type declarations.

const folder = join(import.meta.dirname, "../dist");
await rm(folder, { recursive: true, force: true });
await bundlePackage(folder);
await bundleTypes(folder);
