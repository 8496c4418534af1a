import { z } from "zod";

const lockedPackage = z.looseObject({
  version: z.string().optional(),
  resolved: z.string().optional(),
  dev: z.boolean().optional(),
  license: z.unknown().optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
});

const lockfile = z.looseObject({ packages: z.record(z.string(), lockedPackage) });

/** The content of a package-lock.json. */
export type Lockfile = z.infer<typeof lockfile>;

/** A package for a single platform that a locked package names but the lock file does not contain. */
export interface MissingPlatformPackage {
  readonly name: string;
  readonly version: string;
  /** The key of the package that needs it, for example `node_modules/bun`. */
  readonly neededBy: string;
}

const SYSTEMS = new Map([
  ["android", "android"],
  ["darwin", "darwin"],
  ["freebsd", "freebsd"],
  ["linux", "linux"],
  ["openharmony", "openharmony"],
  ["win32", "win32"],
  ["windows", "win32"],
]);

const PROCESSORS = new Map([
  ["aarch64", "arm64"],
  ["arm", "arm"],
  ["arm64", "arm64"],
  ["ia32", "ia32"],
  ["ppc64", "ppc64"],
  ["riscv64", "riscv64"],
  ["s390x", "s390x"],
  ["x64", "x64"],
]);

/** Parses the text of a package-lock.json. Throws when it is not one. */
export function parseLockfile(text: string): Lockfile {
  const lock: Lockfile = JSON.parse(text);
  lockfile.parse(lock); // proves the type; the parser's own result would have the fields in another order
  return lock;
}

/** The text of a package-lock.json as npm writes it. */
export function formatLockfile(lock: Lockfile): string {
  return `${JSON.stringify(lock, undefined, 2)}\n`;
}

/** The keys of packages that carry a download address, which ties the lock file to one registry. */
export function packagesWithAddress(lock: Lockfile): readonly string[] {
  return Object.entries(lock.packages)
    .filter(([, item]) => item.resolved?.includes("://") === true)
    .map(([key]) => key);
}

/**
 * The optional packages that are missing in the lock file. npm omits those that the registry did not have at the time, and
 * `npm ci` then rejects the lock file on every machine.
 */
export function missingPlatformPackages(lock: Lockfile): readonly MissingPlatformPackage[] {
  return Object.entries(lock.packages).flatMap(([neededBy, item]) =>
    Object.entries(item.optionalDependencies ?? {})
      .filter(([name]) => !isLocked(lock, neededBy, name))
      .map(([name, version]) => ({ name, version, neededBy })),
  );
}

/** Adds an entry for every missing platform package, so that `npm ci` accepts the lock file on every platform. */
export function completeLockfile(lock: Lockfile): Lockfile {
  const added = missingPlatformPackages(lock).map(
    (item) => [`node_modules/${item.name}`, platformEntry(item, lock)] as const,
  );
  const packages = [...Object.entries(lock.packages), ...added].sort(([left], [right]) => (left < right ? -1 : 1));
  return { ...lock, packages: Object.fromEntries(packages) };
}

function isLocked(lock: Lockfile, neededBy: string, name: string): boolean {
  for (let folder = neededBy; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const key = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (lock.packages[key] !== undefined) return true;
    if (folder === "") return false;
  }
}

function platformEntry(item: MissingPlatformPackage, lock: Lockfile): Lockfile["packages"][string] {
  const words = item.name.split(/[/-]/);
  const system = words.map((word) => SYSTEMS.get(word)).find((value) => value !== undefined);
  const processor = words.map((word) => PROCESSORS.get(word)).find((value) => value !== undefined);
  const isMusl = words.some((word) => word.startsWith("musl"));
  return {
    version: item.version,
    ...(processor === undefined ? {} : { cpu: [processor] }),
    ...(lock.packages[item.neededBy]?.dev === true ? { dev: true } : {}),
    ...(isMusl ? { libc: ["musl"] } : {}),
    optional: true,
    ...(system === undefined ? {} : { os: [system] }),
  };
}
