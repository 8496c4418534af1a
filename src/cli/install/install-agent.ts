import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "../../contracts/index.ts";
import { type InstallerOptions, InstallFailedError, runInstaller } from "./run-installer.ts";
import type { VendorPackages } from "./vendor-packages.ts";

/** Settings of {@link installAgent}. */
export interface InstallAgentOptions extends Pick<InstallerOptions, "agentType" | "env" | "signal"> {
  /** The folder of all agents that Atomic installed. */
  readonly vendorRoot: string;
  readonly packages: VendorPackages["packages"];
}

/** Where an agent lies that Atomic installed. */
export function vendorDirectoryOf(atomicHome: string, agentType: string): string {
  return join(atomicHome, "vendor", agentType);
}

/**
 * Installs the pinned packages of an agent in a folder of their own, in place of an earlier install. It is made beside
 * the old one and takes its place only when it is whole, so that a failure or Ctrl+C leaves what was there.
 *
 * @returns the folder
 * @throws InstallFailedError; the signal's reason when aborted
 */
export async function installAgent(options: InstallAgentOptions): Promise<string> {
  const { vendorRoot, agentType, packages } = options;
  await mkdir(vendorRoot, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(vendorRoot, `.${agentType}-`));
  try {
    const manifest = { private: true, dependencies: packages };
    await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
    await runInstaller({ ...options, folder });
    await assertInstalled(folder, options);
    const target = join(vendorRoot, agentType);
    const old = `${folder}.old`;
    await rename(target, old).catch(ignoreMissing);
    await rename(folder, target);
    await rm(old, { recursive: true, force: true });
    return target;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What is installed of an agent, by package; nothing when `atomic install` has not been called for it. */
export async function installedVersions(
  vendorDirectory: string,
  packages: VendorPackages["packages"],
): Promise<Readonly<Record<string, string>> | undefined> {
  const entries = await Promise.all(
    Object.keys(packages).map(async (name) => [name, await versionOf(vendorDirectory, name)] as const),
  );
  const found = entries.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return found.length === entries.length ? Object.fromEntries(found) : undefined;
}

async function assertInstalled(folder: string, { agentType, packages }: InstallAgentOptions): Promise<void> {
  for (const [name, version] of Object.entries(packages)) {
    const found = await versionOf(folder, name);
    if (found === version) continue;
    throw new InstallFailedError(agentType, `success, but ${name} is ${found ?? "missing"} instead of ${version}`, []);
  }
}

async function versionOf(folder: string, packageName: string): Promise<string | undefined> {
  try {
    const manifest: unknown = JSON.parse(
      await readFile(join(folder, "node_modules", packageName, "package.json"), "utf8"),
    );
    return isRecord(manifest) && typeof manifest.version === "string" ? manifest.version : undefined;
  } catch {
    return undefined;
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}
