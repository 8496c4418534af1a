import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** What npm says when the registry does not have the package, or not in this version. */
const MISSING = /\b(?:E404|ETARGET|ENOVERSIONS)\b/;

/** Which package {@link fetchPackage} brings, and where it goes. */
export interface FetchPackageOptions {
  readonly name: string;
  readonly version: string;
  /** A folder like `node_modules`: the package goes into `folder/name`. What is there already is not fetched again. */
  readonly folder: string;
}

/**
 * Brings a package that npm does not install here, because it is for another platform, from npm's registry.
 * @returns its folder; undefined if the registry does not have this version
 * @throws Error with what npm said, if it failed for another reason
 */
export async function fetchPackage({ name, version, folder }: FetchPackageOptions): Promise<string | undefined> {
  const place = join(folder, name);
  if (existsSync(place)) return place;
  const working = join(folder, `.fetch-${name.replace("/", "-")}`);
  await rm(working, { recursive: true, force: true });
  await mkdir(working, { recursive: true });
  try {
    const pack = ["npm", "pack", `${name}@${version}`, "--json", "--loglevel=error", "--ignore-scripts"];
    const packed = await run(pack, working);
    if (packed.exitCode !== 0) {
      if (MISSING.test(packed.output)) return undefined;
      throw new Error(`${name}@${version} could not be fetched:\n${packed.output}`);
    }
    const unpack = `tar -xzf ./*.tgz`;
    const unpacked = await run(["sh", "-c", unpack], working);
    if (unpacked.exitCode !== 0) throw new Error(`${name}@${version} could not be unpacked:\n${unpacked.output}`);
    await mkdir(dirname(place), { recursive: true });
    await rename(join(working, "package"), place);
    return place;
  } finally {
    await rm(working, { recursive: true, force: true });
  }
}

async function run(command: readonly string[], cwd: string): Promise<{ exitCode: number; output: string }> {
  const child = Bun.spawn([...command], { cwd, stdout: "pipe", stderr: "pipe" });
  const [exitCode, output, errors] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  return { exitCode, output: `${output}${errors}` };
}
