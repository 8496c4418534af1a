import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import checkout from "../package.json";
import { CONFIG_SCHEMA_FILE, createConfigSchema } from "../src/cli/config/create-config-schema.ts";

const ROOT = join(import.meta.dirname, "..");

/**
 * The package that draws the terminal UI with React. Each of its versions requires one version of `@opentui/core`, which
 * is not always the one that Atomic uses. An override settles that in this checkout, but npm reads no overrides of a
 * dependency: it would install two cores, and a screen of one core does not show what the other draws.
 */
const BUNDLED = "@opentui/react";

/** npm puts these into every package. */
const ALWAYS = ["README.md", "LICENSE"];

type Versions = Readonly<Record<string, string>>;

/** What is read of the bundled package's manifest. */
interface BundledManifest {
  readonly dependencies: Versions;
  readonly peerDependencies: Versions;
}

/**
 * Copies into an empty folder what the npm package contains: the files of `files` in `package.json`, the bundled package,
 * the JSON Schema of settings files, and a manifest that leads npm to install one `@opentui/core`. What is not built is left out.
 * @param folder is replaced
 */
export async function stagePackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const file of await listFiles()) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(ROOT, file), join(folder, file));
  }
  await writeFile(join(folder, CONFIG_SCHEMA_FILE), `${JSON.stringify(createConfigSchema(), undefined, 2)}\n`);
  await writeManifest(folder, await stageBundled(join(folder, "node_modules", BUNDLED)));
}

/** Packs what {@link stagePackage} has put into a folder. @returns the path of the archive in `destination` */
export async function packStaged(folder: string, destination: string): Promise<string> {
  const command = ["npm", "pack", "--loglevel=error", "--ignore-scripts", "--pack-destination", destination];
  const child = Bun.spawn(command, { cwd: folder, stdout: "ignore", stderr: "pipe" });
  const [exitCode, said] = await Promise.all([child.exited, child.stderr.text()]);
  if (exitCode !== 0) throw new Error(`The package could not be packed:\n${said}`);
  return join(destination, `${checkout.name.replace("@", "").replace("/", "-")}-${checkout.version}.tgz`);
}

/** The files of the package, relative to the checkout. */
async function listFiles(): Promise<readonly string[]> {
  const left = checkout.files.filter((entry) => entry.startsWith("!")).map((entry) => new Bun.Glob(entry.slice(1)));
  const entries = [...ALWAYS, ...checkout.files.filter((entry) => !entry.startsWith("!"))];
  const files = await Promise.all(entries.map(listBelow));
  return files.flat().filter((file) => !left.some((glob) => glob.match(file)));
}

/** The files of an entry of `files`, which is a file or a folder. */
async function listBelow(entry: string): Promise<readonly string[]> {
  const path = join(ROOT, entry);
  if (!existsSync(path)) return [];
  if ((await stat(path)).isFile()) return [entry];
  const children = await readdir(path, { recursive: true, withFileTypes: true });
  return children
    .filter((child) => child.isFile())
    .map((child) => join(child.parentPath, child.name).slice(ROOT.length + 1));
}

/**
 * Copies the bundled package with the core that Atomic uses, and without the tools of React's developers, which it loads
 * only with `DEV=true`.
 * @returns the manifest of Atomic's package, which depends on what the bundled package needs
 */
async function stageBundled(folder: string): Promise<object> {
  const source = join(ROOT, "node_modules", BUNDLED);
  await cp(source, folder, { recursive: true });
  const bundled: BundledManifest = JSON.parse(await readFile(join(source, "package.json"), "utf8"));
  const dependencies: Versions = { ...bundled.dependencies, ...checkout.dependencies };
  const { react = "*" } = bundled.peerDependencies;
  const needed = Object.keys(bundled.dependencies).map((name) => [name, dependencies[name]]);
  await writeManifest(folder, {
    ...bundled,
    dependencies: Object.fromEntries(needed),
    peerDependencies: { react },
    devDependencies: undefined,
  });
  const left = { private: undefined, scripts: undefined, devDependencies: undefined, overrides: undefined };
  const schema = `./${CONFIG_SCHEMA_FILE}`;
  return {
    ...{ ...checkout, ...left, dependencies, bundleDependencies: [BUNDLED] },
    files: [...checkout.files, CONFIG_SCHEMA_FILE],
    exports: { ...checkout.exports, [schema]: schema },
  };
}

async function writeManifest(folder: string, manifest: object): Promise<void> {
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}
