import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AtomicError, isRecord } from "../../contracts/index.ts";
import { type RunLease, RunLeases, RunLockedError } from "../../graph/index.ts";
import { type InstallerOptions, InstallFailedError, runInstaller } from "./run-installer.ts";
import { installedName, type VendorPackages } from "./vendor-packages.ts";

/** Settings of {@link installAgent}. */
export interface InstallAgentOptions extends Pick<InstallerOptions, "agentType" | "env" | "signal"> {
  /** The folder of all agents that Atomic installed. */
  readonly vendorRoot: string;
  readonly packages: VendorPackages["packages"];
  /** This process's id. */
  readonly processId: number;
  /** Moves a folder. @default that of `node:fs` */
  readonly move?: (from: string, to: string) => Promise<void>;
}

/** Another process is installing the same agent. */
export class InstallBusyError extends AtomicError {
  constructor(
    readonly agentType: string,
    readonly owner: string,
  ) {
    super(
      "INSTALL_BUSY",
      `${installedName(agentType)} is being installed by ${owner} already. Wait for that to end, then try again.`,
    );
  }
}

/** Suffix of an earlier install while a new one replaces it. */
const OLD = ".old";

/** The folder of an agent that Atomic installed. */
export function vendorDirectoryOf(atomicHome: string, agentType: string): string {
  return join(atomicHome, "vendor", agentType);
}

/**
 * Installs the pinned packages of an agent in their own folder and replaces an earlier install. The new install is built
 * next to the old one and replaces it only when it is complete, so a failure or Ctrl+C keeps the old one. Removes the
 * remains of a killed install.
 *
 * @returns the folder
 * @throws InstallFailedError, InstallBusyError; the signal's reason when aborted
 */
export async function installAgent(options: InstallAgentOptions): Promise<string> {
  const { vendorRoot, agentType } = options;
  await mkdir(vendorRoot, { recursive: true, mode: 0o700 });
  const lease = await acquire(options);
  try {
    await clearAway(vendorRoot, agentType);
    return await replace(options);
  } finally {
    await lease.release();
  }
}

/** @throws InstallBusyError */
async function acquire({ vendorRoot, agentType, processId }: InstallAgentOptions): Promise<RunLease> {
  const owner = `process ${processId}`;
  try {
    return await new RunLeases({ folder: join(vendorRoot, ".lock"), owner, processId }).acquire(agentType);
  } catch (error) {
    if (!(error instanceof RunLockedError)) throw error;
    throw new InstallBusyError(agentType, error.owner ?? "another process");
  }
}

/** Call it only with the agent's lease: nothing else then uses folders of its name. */
async function clearAway(vendorRoot: string, agentType: string): Promise<void> {
  const names = await readdir(vendorRoot);
  const left = names.filter((name) => name.startsWith(`.${agentType}-`));
  const old = left.find((name) => name.endsWith(OLD));
  // A kill between moving the old install away and moving the new one in.
  if (old !== undefined && !names.includes(agentType)) await rename(join(vendorRoot, old), join(vendorRoot, agentType));
  for (const name of left) await rm(join(vendorRoot, name), { recursive: true, force: true });
}

async function replace(options: InstallAgentOptions): Promise<string> {
  const { vendorRoot, agentType, packages, move = rename } = options;
  const folder = await mkdtemp(join(vendorRoot, `.${agentType}-`));
  try {
    const manifest = { private: true, dependencies: packages };
    await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
    await runInstaller({ ...options, folder });
    await assertInstalled(folder, options);
    const target = join(vendorRoot, agentType);
    const old = `${folder}${OLD}`;
    await move(target, old).catch(ignoreMissing);
    try {
      await move(folder, target);
    } catch (error) {
      await move(old, target).catch(ignoreMissing);
      throw error;
    }
    await rm(old, { recursive: true, force: true });
    return target;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The installed versions of an agent, by package. Empty if `atomic install` has not installed it. */
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
