import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { AgentTooNewError, AgentTooOldError } from "../../contracts/index.ts";
import { isCompiled, isCompiledFile, programFile } from "../../system/index.ts";
import { inNeutralFolder } from "./neutral-folder.ts";

/** Where packages are searched: next to Atomic, then in the vendor's folder. */
export interface PackagePlaces {
  /** See `ClientOptions.vendorDirectory`. */
  readonly vendorDirectory?: string | undefined;
  /** The file whose `node_modules` are searched first. @default this module */
  readonly resolveFrom?: string | undefined;
}

/**
 * The files from whose location packages are resolved, best first. A compiled Atomic has no packages next to it: from its
 * own files, which are not on the disk, Bun resolves in the folder of the call, which is the project's.
 */
export function packageOrigins({ vendorDirectory, resolveFrom = import.meta.url }: PackagePlaces): readonly string[] {
  const vendor = vendorDirectory === undefined ? [] : [path.join(vendorDirectory, "package.json")];
  return isCompiledFile(resolveFrom) ? vendor : [resolveFrom, ...vendor];
}

/** A package's file, resolved from the location of a file that need not exist; undefined if it is not installed there. */
export function resolvePackage(from: string, name: string): string | undefined {
  try {
    return ownResult(from, createRequire(from).resolve(name));
  } catch {
    return undefined;
  }
}

/** In a compiled program, a result elsewhere than below the folder that was asked for is the project's. */
function ownResult(from: string, found: string): string | undefined {
  if (!isCompiled()) return found;
  const [folder, file] = [path.dirname(pathOf(from)), pathOf(found)].map((name) => realpathSync(name));
  return folder !== undefined && file?.startsWith(folder + path.sep) === true ? found : undefined;
}

function pathOf(address: string): string {
  return address.startsWith("file:") ? fileURLToPath(address) : address;
}

/** Settings of {@link importPackage}. */
export interface ImportPackageOptions<T> extends PackagePlaces {
  /** The package's import name, for example `@github/copilot-sdk`. */
  readonly name: string;
  /** Imports it by this name, so that its types are known. */
  readonly load: () => Promise<T>;
}

/**
 * Imports a vendor's SDK: the one next to Atomic, else the one in the vendor's folder. If there is neither, throws the error
 * of the import next to Atomic.
 */
export async function importPackage<T>({ name, load, ...places }: ImportPackageOptions<T>): Promise<T> {
  // A compiled Atomic has none next to it.
  let missing: unknown = new Error(`The package ${name} is not installed.`);
  if (!isCompiled()) {
    try {
      return await load();
    } catch (error) {
      missing = error;
    }
  }
  const vendors = packageOrigins(places).slice(isCompiled() ? 0 : 1);
  const address = vendors.map((origin) => resolveModule(origin, name)).find((found) => found !== undefined);
  if (address === undefined) throw missing;
  // The cast is true: it is the same package, in the version that `atomic install` pins.
  return (await import(address)) as T;
}

/** Whether {@link importPackage} would find a package. Imports nothing. */
export function resolvesPackage(name: string, places: PackagePlaces): boolean {
  return packageOrigins(places).some((origin) => resolveModule(origin, name) !== undefined);
}

/** What an import in the given file would load. Node ignores the second argument and resolves from this module. */
function resolveModule(from: string, name: string): string | undefined {
  try {
    return ownResult(from, import.meta.resolve(name, from.startsWith("file:") ? from : pathToFileURL(from).href));
  } catch {
    return undefined;
  }
}

/** A package with a vendor's program for one system. */
export interface PlatformPackage {
  /** Its name; `{platform}` and `{arch}` are replaced by Node's names, except that `win32` becomes `windows`. */
  readonly name: string;
  /** The program's path in the package, without the `.exe` that it has on Windows. */
  readonly file: string;
}

/**
 * The paths of programs in such packages, best first. Processors without AVX2 need `-baseline`, systems without glibc
 * `-musl`; npm installs only what fits the system, so the order matters only where several fit.
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
  /** The oldest supported version, as `1.2.3`. */
  readonly oldest: string;
  /** The first version that is no longer supported, as `2.0.0`. @default none */
  readonly below?: string | undefined;
}

/**
 * Returns the program if it is neither too old nor too new. A program that prints no version, or cannot, is accepted: its
 * start will show whether it works.
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
 * The version that `--version` prints, if any. Runs in an empty folder, because programs execute files that they find where
 * they start. Rejects when the program cannot be run.
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
