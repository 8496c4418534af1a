import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CheckOutcome } from "./check-outcome.ts";
import { type Lockfile, parseLockfile } from "./lockfile.ts";

/** The page with the licences, relative to the repository. */
export const LICENCES_PAGE = "docs/licences.md";

/** Licences that allow Atomic to be used and passed on under its own. */
const ALLOWED = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "Python-2.0",
]);

/** A package that npm installs together with Atomic. */
export interface LicensedPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression, or what its manifest says. */
  readonly licence: string;
}

/**
 * The packages that npm can install together with Atomic on any platform, in the order of their names. One for a platform, of
 * which the lock file has no licence, has that of the package that needs it.
 */
export function listLicences(lock: Lockfile): readonly LicensedPackage[] {
  const shipped = Object.entries(lock.packages).filter(([key, item]) => key !== "" && item.dev !== true);
  const parents = new Map(
    shipped.flatMap(([, item]) => Object.keys(item.optionalDependencies ?? {}).map((name) => [name, item] as const)),
  );
  const packages = shipped.map(([key, item]) => {
    const name = key.slice(key.lastIndexOf("node_modules/") + "node_modules/".length);
    const licence = item.license ?? parents.get(name)?.license;
    return { name, version: item.version ?? "", licence: typeof licence === "string" ? licence : "unknown" };
  });
  const unique = new Map(packages.map((item) => [`${item.name} ${item.version}`, item]));
  return [...unique].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, item]) => item);
}

/** The page that lists them. */
export function formatLicences(packages: readonly LicensedPackage[]): string {
  const rows = packages.map(({ name, version, licence }) => `| \`${name}\` | ${version} | ${licence} |`);
  return `# Licences

Atomic's own is [MIT](../LICENSE). With it, npm can install these ${packages.length} packages, each with its licence in its folder: those for
other platforms are listed, too, and tools that only the packages' developers need. Agents and their SDKs are not among them: \`atomic install\` installs those that you choose,
under their vendors' terms. \`npm run licences\` makes this page from the lock file.

| package | version | licence |
| --- | --- | --- |
${rows.join("\n")}
`;
}

/** The problems of the licences and of the page that lists them. */
export function checkLicences(packages: readonly LicensedPackage[], page: string): readonly string[] {
  const denied = packages.filter(({ licence }) => !ALLOWED.has(licence));
  return [
    ...denied.map(
      ({ name, version, licence }) =>
        `package-lock.json licences: ${name} ${version} has the licence "${licence}". Allowed: ${[...ALLOWED].join(", ")}.`,
    ),
    ...(page === formatLicences(packages)
      ? []
      : [`${LICENCES_PAGE} licences: the page is not that of the lock file. Run npm run licences.`]),
  ];
}

/** Checks the licences of a repository. */
export async function checkLicencesOf(root: string): Promise<CheckOutcome> {
  const packages = listLicences(await readLock(root));
  return { problems: checkLicences(packages, await readFile(join(root, LICENCES_PAGE), "utf8").catch(() => "")) };
}

/** Reads the lock file of a repository. */
export async function readLock(root: string): Promise<Lockfile> {
  return parseLockfile(await readFile(join(root, "package-lock.json"), "utf8"));
}
