import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CheckOutcome } from "./check-outcome.ts";
import { type Lockfile, missingPlatformPackages, packagesWithAddress, parseLockfile } from "./lockfile.ts";

/** Checks that a lock file has no registry addresses and supports every platform. */
export function checkLockfile(lock: Lockfile): readonly string[] {
  return [
    ...packagesWithAddress(lock).map(
      (key) =>
        `package-lock.json download-address: "${key}" has a "resolved" address. Run npm install with omit-lockfile-registry-resolved=true, as .npmrc says.`,
    ),
    ...missingPlatformPackages(lock).map(
      ({ name, neededBy }) =>
        `package-lock.json missing-platform: "${neededBy}" names "${name}", which has no entry, so npm ci would fail. Run npm run lock.`,
    ),
  ];
}

/** Checks the package-lock.json of a repository. */
export async function checkLockfileOf(root: string): Promise<CheckOutcome> {
  return { problems: checkLockfile(parseLockfile(await readFile(join(root, "package-lock.json"), "utf8"))) };
}
