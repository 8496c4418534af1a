import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { AgentTooNewError, AgentTooOldError } from "../../contracts/index.ts";
import { inNeutralFolder } from "./neutral-folder.ts";

/** Where packages are looked for: next to Atomic, then in the vendor's folder. */
export interface PackagePlaces {
  /** See `ClientOptions.vendorDirectory`. */
  readonly vendorDirectory?: string | undefined;
  /** The file whose `node_modules` are searched first. @default this module */
  readonly resolveFrom?: string | undefined;
}

/** The files from whose place packages are looked for, best first. */
export function packageOrigins({ vendorDirectory, resolveFrom = import.meta.url }: PackagePlaces): readonly string[] {
  return vendorDirectory === undefined ? [resolveFrom] : [resolveFrom, path.join(vendorDirectory, "package.json")];
}

/** A package's file, as seen from the place of a file that need not exist; nothing when it is not installed there. */
export function resolvePackage(from: string, name: string): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}

/** Settings of {@link importPackage}. */
export interface ImportPackageOptions<T> extends PackagePlaces {
  /** What an import calls it, for example `@github/copilot-sdk`. */
  readonly name: string;
  /** Imports it by this name, so that the types are known. */
  readonly load: () => Promise<T>;
}

/**
 * Imports a vendor's SDK: the one next to Atomic, else the one in the vendor's folder. Throws what the import next to
 * Atomic threw when neither is there.
 */
export async function importPackage<T>({ name, load, ...places }: ImportPackageOptions<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const [, ...others] = packageOrigins(places);
    const address = others.map((origin) => resolveModule(origin, name)).find((found) => found !== undefined);
    if (address === undefined) throw error;
    // The cast is true: it is the very same package, in the version that `atomic install` pins.
    return (await import(address)) as T;
  }
}

/** Whether {@link importPackage} would find a package. Nothing is imported. */
export function resolvesPackage(name: string, places: PackagePlaces): boolean {
  return packageOrigins(places).some((origin) => resolveModule(origin, name) !== undefined);
}

/** What an import in the given file would load. Node, which takes no second argument here, sees its own place only. */
function resolveModule(from: string, name: string): string | undefined {
  try {
    return import.meta.resolve(name, from.startsWith("file:") ? from : pathToFileURL(from).href);
  } catch {
    return undefined;
  }
}

/** A program's file name on this system. */
export function programFile(name: string): string {
  return platform() === "win32" ? `${name}.exe` : name;
}

/**
 * The absolute folders of the PATH. A `node_modules/.bin` is none of them: an install without scripts leaves error
 * messages there instead of programs.
 */
export function foldersOnPath(env: Readonly<Record<string, string>>): readonly string[] {
  return (env.PATH ?? "")
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder) && !path.resolve(folder).endsWith(path.join("node_modules", ".bin")));
}

/** Where a program may lie on the PATH. */
export function programsOnPath(name: string, env: Readonly<Record<string, string>>): readonly string[] {
  return foldersOnPath(env).map((folder) => path.join(folder, programFile(name)));
}

/** The first of the files that can be executed. */
export async function firstExecutable(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) if (await isExecutable(file)) return file;
  return undefined;
}

/** Whether a file is there and can be executed. A folder may be searched as a program may be run, but it is none. */
export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** A package with a vendor's program for one system. */
export interface PlatformPackage {
  /** Its name; `{platform}` and `{arch}` stand for Node's names of them, but `windows` for `win32`. */
  readonly name: string;
  /** Where the program lies in it, without the `.exe` that it has on Windows. */
  readonly file: string;
}

/**
 * Where the programs of such packages lie, best first. Processors without AVX2 need `-baseline`, systems without glibc
 * `-musl`; npm installs only what fits the system, so the order matters merely where several fit.
 */
export function platformPrograms(origins: readonly string[], { name, file }: PlatformPackage): readonly string[] {
  const system = platform() === "win32" ? "windows" : platform();
  const base = name.replace("{platform}", system).replace("{arch}", arch());
  const names = ["", "-baseline", "-musl", "-baseline-musl"].map((variant) => base + variant);
  return origins.flatMap((origin) =>
    names.flatMap((candidate) => {
      const manifest = resolvePackage(origin, `${candidate}/package.json`);
      return manifest === undefined ? [] : [path.join(path.dirname(manifest), programFile(file))];
    }),
  );
}

/** Settings of {@link checkProgramVersion}. */
export interface CheckProgramVersionOptions {
  /** The agent's name in the error. */
  readonly agentType: string;
  /** The program's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The oldest version that will do, as `1.2.3`. */
  readonly oldest: string;
  /** The first version that will not do any more, as `2.0.0`. @default none */
  readonly below?: string | undefined;
}

/**
 * Gives the program back when it is neither too old nor too new. One that tells no version, or cannot, is taken at its word when it starts.
 * @throws AgentTooOldError, AgentTooNewError
 */
export async function checkProgramVersion(
  program: string,
  { agentType, env, oldest, below }: CheckProgramVersionOptions,
): Promise<string> {
  const found = await programVersion(program, env).catch(() => undefined);
  if (found === undefined) return program;
  if (isOlderVersion(found, oldest)) throw new AgentTooOldError(agentType, program, { found, oldest });
  if (below === undefined || isOlderVersion(found, below)) return program;
  throw new AgentTooNewError(agentType, program, { found, oldest, below });
}

/**
 * What `--version` says, as far as it is a version; asked in an empty folder, because programs execute what they find
 * where they start. Rejects when the program cannot be run.
 */
export async function programVersion(
  program: string,
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const { stdout } = await inNeutralFolder((cwd) =>
    promisify(execFile)(path.resolve(program), ["--version"], { cwd, env: { ...env }, timeout: 10_000 }),
  );
  return /\d+\.\d+\.\d+/.exec(stdout)?.[0];
}

/** Whether a version is older than another, both as `1.2.3`. */
export function isOlderVersion(version: string, than: string): boolean {
  const [left, right] = [version, than].map((text) => text.split(".").map(Number));
  for (const [index, wanted] of (right ?? []).entries()) {
    const found = left?.[index] ?? 0;
    if (found !== wanted) return found < wanted;
  }
  return false;
}
