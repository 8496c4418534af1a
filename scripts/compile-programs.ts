import { existsSync } from "node:fs";
import { chmod, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type CompileProgramOptions, compileProgram, libraryVersion } from "./compile-program.ts";
import { fetchPackage } from "./fetch-package.ts";
import type { ProgramTarget } from "./program-targets.ts";

const INSTALLED = join(import.meta.dirname, "../node_modules");
const ARM_LIBRARIES = "/usr/aarch64-linux-gnu";

/** What became of the program for one target. */
export interface CompiledProgram {
  readonly target: string;
  /** Undefined if it could not be compiled. */
  readonly path?: string;
  readonly bytes?: number;
  /** Whether its chat draws, or is plain because the registry does not have its native library. */
  readonly chat: "full" | "plain" | undefined;
  /** What it printed when it was asked for its version, or why it was not started. */
  readonly ran: string;
  /** Why there is no program, or why it does not run. Undefined if nothing failed. */
  readonly problem?: string;
}

/** Where {@link compilePrograms} takes from, and where it puts. */
export interface CompileProgramsOptions {
  /** The programs go there. */
  readonly folder: string;
  /** The packages of other platforms, in the shape of `node_modules`, are kept there between two calls. */
  readonly packages: string;
  /** The target that is this machine. Undefined: none is. */
  readonly machine: ProgramTarget | undefined;
}

/** Compiles Atomic for each target, one after the other. A target that fails does not stop the others. */
export async function* compilePrograms(
  targets: readonly ProgramTarget[],
  options: CompileProgramsOptions,
): AsyncGenerator<CompiledProgram, void> {
  await mkdir(options.folder, { recursive: true });
  for (const target of targets) {
    try {
      yield await compileOne(target, options);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      yield { target: target.name, chat: undefined, ran: "not built", problem };
    }
  }
}

async function compileOne(target: ProgramTarget, options: CompileProgramsOptions): Promise<CompiledProgram> {
  const { folder, packages, machine } = options;
  const path = join(folder, target.program);
  const isHere = target === machine;
  const library = await findLibrary(target, packages);
  await compileProgram(path, {
    ...library,
    ...(isHere ? {} : { platform: { bunTarget: target.bunTarget, runtime: await findRuntime(target, packages) } }),
  });
  const { size: bytes } = await stat(path);
  const built = { target: target.name, path, bytes, chat: library.library === undefined ? "plain" : "full" } as const;
  const starter = isHere ? [] : findEmulator(target);
  if (starter === undefined) return { ...built, ran: "not run: no such machine here" };
  return { ...built, ...(await tryOut([...starter, path])) };
}

/** How a program for another platform starts here, with Debian's packages qemu-user, libc6-arm64-cross and libstdc++6-arm64-cross. */
function findEmulator({ name }: ProgramTarget): readonly string[] | undefined {
  const emulator = name === "linux-arm64" && process.platform === "linux" ? Bun.which("qemu-aarch64") : null;
  return emulator === null || !existsSync(ARM_LIBRARIES) ? undefined : [emulator, "-L", ARM_LIBRARIES];
}

/** The package of a target's native library, if npm has installed it or the registry has it. */
async function findLibrary(
  { library: name }: ProgramTarget,
  packages: string,
): Promise<Required<Pick<CompileProgramOptions, "library" | "libraryFolder">>> {
  if (existsSync(join(INSTALLED, name))) return { library: name, libraryFolder: undefined };
  const libraryFolder = await fetchPackage({ name, version: libraryVersion(), folder: packages });
  return { library: libraryFolder === undefined ? undefined : name, libraryFolder };
}

async function findRuntime({ runtime }: ProgramTarget, packages: string): Promise<string> {
  const version = Bun.version;
  const place = await fetchPackage({ name: runtime.package, version, folder: packages });
  if (place === undefined) throw new Error(`The registry does not have ${runtime.package}@${version}.`);
  const path = join(place, runtime.path);
  await chmod(path, 0o755);
  return path;
}

async function tryOut(command: readonly string[]): Promise<Pick<CompiledProgram, "ran" | "problem">> {
  const child = Bun.spawn([...command, "--version"], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [exitCode, said, errors] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  const how = command.length === 1 ? "run" : "run in an emulator";
  if (exitCode === 0) return { ran: `${how}: --version printed ${said.trim()}` };
  return { ran: `${how}: --version ended with ${exitCode}`, problem: `${said}${errors}` };
}
