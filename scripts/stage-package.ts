import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import checkout from "../package.json";
import { CONFIG_SCHEMA_FILE, createConfigSchema } from "../src/cli/config/create-config-schema.ts";

const ROOT = join(import.meta.dirname, "..");

/**
 * The packages that draw the terminal UI. Each version of the one for React requires one version of the core, which is not
 * always the one that Atomic uses. An override settles that in this checkout, but npm reads no overrides of a dependency: it
 * would install two cores, and a screen of one core does not show what the other draws. The core is bundled as well because
 * it asks for a newer Node than Atomic, whose programs run it on Bun: npm would warn about that in every installation. The
 * package for structs would have npm install a compiler of TypeScript, 23 MB that nothing loads.
 */
const BUNDLED = ["@opentui/core", "@opentui/react", "bun-ffi-structs"] as const;

/** npm puts these into every package. */
const ALWAYS = ["README.md", "LICENSE"];

type Versions = Readonly<Record<string, string>>;

/** What is read of a bundled package's manifest. */
interface BundledManifest {
  readonly dependencies?: Versions;
  readonly peerDependencies?: Versions;
  readonly optionalDependencies?: Versions;
}

/** How {@link stagePackage} makes the package. */
export interface StagePackageOptions {
  /** The folder of the files for Node. It may be missing; then the package has none. @default `dist` in the checkout */
  readonly built?: string;
  /** The repository that publishes it, for example `owner/name` on GitHub: npm compares it with the provenance. @default none */
  readonly repository?: string | undefined;
}

/**
 * Copies into an empty folder what the npm package contains: the files of `files` in `package.json`, the bundled
 * packages, the JSON Schema of settings files, and a manifest that leads npm to install what those need.
 * @param folder is replaced
 */
export async function stagePackage(
  folder: string,
  { built = join(ROOT, "dist"), repository }: StagePackageOptions = {},
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const file of await listFiles()) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(ROOT, file), join(folder, file));
  }
  const programs: readonly string[] = [join(built, "atomic"), join(built, "programs")];
  const isPart = (path: string): boolean => !programs.includes(path);
  if (existsSync(built)) await cp(built, join(folder, "dist"), { recursive: true, filter: isPart });
  await writeFile(join(folder, CONFIG_SCHEMA_FILE), `${JSON.stringify(createConfigSchema(), undefined, 2)}\n`);
  const bundled = await Promise.all(BUNDLED.map((name) => readBundled(name)));
  const dependencies: Versions = Object.assign({}, ...bundled.map(installedWith), checkout.dependencies);
  for (const name of BUNDLED) await stageBundled(join(folder, "node_modules", name), name);
  await writeManifest(folder, {
    ...{ ...checkout, private: undefined, scripts: undefined, devDependencies: undefined, overrides: undefined },
    ...(repository === undefined ? {} : { repository: `github:${repository}` }),
    files: [...checkout.files, CONFIG_SCHEMA_FILE],
    exports: { ...exportTypesFirst(), [`./${CONFIG_SCHEMA_FILE}`]: `./${CONFIG_SCHEMA_FILE}` },
    dependencies,
    optionalDependencies: Object.assign({}, ...bundled.map(({ optionalDependencies }) => optionalDependencies)),
    bundleDependencies: BUNDLED,
  });
}

/** Packs what {@link stagePackage} has put into a folder. @returns the path of the archive in `destination` */
export async function packStaged(folder: string, destination: string): Promise<string> {
  const command = ["npm", "pack", "--loglevel=error", "--ignore-scripts", "--pack-destination", destination];
  const child = Bun.spawn(command, { cwd: folder, stdout: "ignore", stderr: "pipe" });
  const [exitCode, said] = await Promise.all([child.exited, child.stderr.text()]);
  if (exitCode !== 0) throw new Error(`The package could not be packed:\n${said}`);
  return join(destination, `${checkout.name.replace("@", "").replace("/", "-")}-${checkout.version}.tgz`);
}

/** The files of the package that are not built, relative to the checkout. */
async function listFiles(): Promise<readonly string[]> {
  const left = checkout.files.filter((entry) => entry.startsWith("!")).map((entry) => new Bun.Glob(entry.slice(1)));
  const entries = [...ALWAYS, ...checkout.files.filter((entry) => !entry.startsWith("!") && entry !== "dist")];
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

/** The folder of a bundled package, which npm may have put below the core. */
function findBundled(name: string): string {
  const below = join(ROOT, "node_modules/@opentui/core/node_modules", name);
  return existsSync(below) ? below : join(ROOT, "node_modules", name);
}

async function readBundled(name: string): Promise<BundledManifest> {
  return JSON.parse(await readFile(join(findBundled(name), "package.json"), "utf8"));
}

/** What npm installs together with a package, besides optional packages. */
function installedWith({ dependencies, peerDependencies = {} }: BundledManifest): Versions {
  const peers = Object.entries(peerDependencies).filter(([name]) => !UNUSED_PEERS.includes(name));
  return { ...dependencies, ...Object.fromEntries(peers) };
}

/** Peers that only developers of a package load: the tools of React's developers (with `DEV=true`), a compiler. */
const UNUSED_PEERS = ["react-devtools-core", "typescript", "ws"];

/**
 * Copies a bundled package without source maps and declarations. Its manifest requires no runtime, because Bun runs it, and
 * no packages: Atomic's manifest requires them. npm takes what only a bundled package requires for bundled, too, and in a
 * global installation leaves its folder empty.
 */
async function stageBundled(folder: string, name: string): Promise<void> {
  const source = findBundled(name);
  const isPart = (path: string): boolean => !/\.map$|\.d\.ts$|^\/node_modules/.test(path.slice(source.length));
  await cp(source, folder, { recursive: true, filter: isPart });
  await writeManifest(folder, {
    ...(await readBundled(name)),
    ...{ engines: undefined, devDependencies: undefined, scripts: undefined },
    ...{ dependencies: undefined, optionalDependencies: undefined },
    ...{ peerDependencies: undefined, peerDependenciesMeta: undefined },
  });
}

/**
 * The `exports` with the declarations first. In the checkout, TypeScript reads the source by the condition `bun`; a program
 * that sets this condition, too, must not check Atomic's source by its own settings.
 */
function exportTypesFirst(): object {
  const entries = Object.entries(checkout.exports).map(([key, entry]) =>
    typeof entry === "string" ? [key, entry] : [key, { types: entry.types, bun: entry.bun, default: entry.default }],
  );
  return Object.fromEntries(entries);
}

async function writeManifest(folder: string, manifest: object): Promise<void> {
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}
