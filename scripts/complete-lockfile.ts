import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { completeLockfile, formatLockfile, missingPlatformPackages, parseLockfile } from "./lockfile.ts";

const path = join(import.meta.dirname, "../package-lock.json");
const lock = parseLockfile(await readFile(path, "utf8"));
const missing = missingPlatformPackages(lock);
if (missing.length > 0) await writeFile(path, formatLockfile(completeLockfile(lock)));
console.log(`package-lock.json: ${missing.length} platform packages added`);
