import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json";

const ROOT = join(import.meta.dirname, "..");

/**
 * Compiles Atomic into one program that needs no installed package. The vendors' packages are not part of it: it finds
 * those that `atomic install` has installed.
 * @param outfile where the program goes
 * @throws Error with what Bun said, if it cannot be compiled
 */
export async function compileProgram(outfile: string): Promise<void> {
  const vendors = Object.keys(manifest.peerDependencies).flatMap((name) => [name, `${name}/*`]);
  const command = [
    ...["build", "--compile", join(ROOT, "bin/start.ts"), "--outfile", outfile],
    // A project must not decide how Atomic runs.
    ...["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig", "--compile-exec-argv=--no-install"],
    // Packages that a user's file or an agent needs are found by theirs.
    "--compile-autoload-package-json",
    ...[...vendors, ...otherPlatforms()].flatMap((name) => ["--external", name]),
  ];
  const child = Bun.spawn([process.execPath, ...command], { cwd: ROOT, stdout: "ignore", stderr: "pipe" });
  const [exitCode, said] = await Promise.all([child.exited, child.stderr.text()]);
  if (exitCode !== 0) throw new Error(`Atomic could not be compiled:\n${said}`);
}

/** The native libraries of the terminal UI that npm has not installed here, which are those of other platforms. */
function otherPlatforms(): readonly string[] {
  const text = readFileSync(join(ROOT, "node_modules/@opentui/core/package.json"), "utf8");
  const { optionalDependencies }: { readonly optionalDependencies: object } = JSON.parse(text);
  return Object.keys(optionalDependencies).filter((name) => !existsSync(join(ROOT, "node_modules", name)));
}
