import { existsSync, readFileSync } from "node:fs";
import { symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import manifest from "../package.json";

const ROOT = join(import.meta.dirname, "..");

/** How {@link compileProgram} compiles. */
export interface CompileProgramOptions {
  /** Another platform. @default this one */
  readonly platform?: {
    /** What Bun calls it, such as `bun-darwin-arm64`. */
    readonly bunTarget: string;
    /** The path of Bun for that platform. */
    readonly runtime: string;
  };
  /**
   * The package with the native library that draws the chat. Undefined: the program has none, and its chat is plain.
   * @default the one that npm has installed here
   */
  readonly library?: string | undefined;
  /** The folder of that package, which npm has not installed here. @default npm has installed it */
  readonly libraryFolder?: string | undefined;
}

/**
 * Compiles Atomic into one program that needs no installed package. The vendors' packages are not part of it: it finds
 * those that `atomic install` has installed.
 * @param outfile where the program goes
 * @throws Error with what Bun said, if it cannot be compiled
 */
export async function compileProgram(outfile: string, options: CompileProgramOptions = {}): Promise<void> {
  const { platform, libraryFolder } = options;
  const library = "library" in options ? options.library : installedLibrary();
  const vendors = Object.keys(manifest.peerDependencies).flatMap((name) => [name, `${name}/*`]);
  const command = [
    ...["build", "--compile", join(ROOT, "bin/start.ts"), "--outfile", outfile],
    ...(platform === undefined ? [] : ["--target", platform.bunTarget, "--compile-executable-path", platform.runtime]),
    // Parsing all of Atomic's code at each start would take four times as long.
    ...["--bytecode", "--format=esm"],
    // A project must not decide how Atomic runs.
    ...["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig", "--compile-exec-argv=--no-install"],
    // Packages that a user's file or an agent needs are found by theirs.
    "--compile-autoload-package-json",
    ...[...vendors, ...libraries().filter((name) => name !== library)].flatMap((name) => ["--external", name]),
  ];
  // Bun finds a package only there.
  const link = libraryFolder === undefined || library === undefined ? undefined : join(ROOT, "node_modules", library);
  if (link !== undefined && libraryFolder !== undefined) await symlink(libraryFolder, link);
  try {
    const child = Bun.spawn([process.execPath, ...command], { cwd: ROOT, stdout: "ignore", stderr: "pipe" });
    const [exitCode, said] = await Promise.all([child.exited, child.stderr.text()]);
    if (exitCode !== 0) throw new Error(`Atomic could not be compiled:\n${said}`);
  } finally {
    if (link !== undefined) await unlink(link);
  }
}

/** The packages with the native libraries that draw the chat, one for each platform. */
function libraries(): readonly string[] {
  return Object.keys(core().optionalDependencies);
}

function installedLibrary(): string | undefined {
  return libraries().find((name) => existsSync(join(ROOT, "node_modules", name)));
}

/** The version that the native libraries must have. */
export function libraryVersion(): string {
  return core().version;
}

function core(): { readonly version: string; readonly optionalDependencies: object } {
  return JSON.parse(readFileSync(join(ROOT, "node_modules/@opentui/core/package.json"), "utf8"));
}
