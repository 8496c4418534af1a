import { existsSync } from "node:fs";
import { allowedNodeEnvironmentFlags, versions } from "node:process";
import { isCompiled } from "./compiled.ts";

/** What a command to confine depends on. */
export interface ConfinedHost {
  readonly platform: NodeJS.Platform;
  /** The program that runs JavaScript: Bun, Node, or a compiled Atomic. */
  readonly runtime: string;
}

/** A command, with the complete environment that it has. */
export interface ConfinedCommand {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
}

/** Where bubblewrap is. A `PATH` could lead into a project. */
const BUBBLEWRAP = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/** What programs are linked with. None of it is a user's. */
const LIBRARIES = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"],
  ...["/etc/ld.so.cache", "/nix/store", "/gnu/store"],
];

/**
 * The ways to run a JavaScript program in a process that can reach as little as possible, the narrowest first. None of them
 * passes on an environment. Where something is installed and impossible on
 * this machine, its command ends at once.
 *
 * 1. On Linux, bubblewrap: no network, no other processes, no files but the system's programs, and
 *    nothing can be written.
 * 2. On macOS, `sandbox-exec`: no network, no other processes, no files of users, and nothing can be written.
 * 3. Everywhere, a process. Node's permission model keeps files and processes from it; Bun has none.
 *
 * @param program its text, which uses `require` and no `import`
 */
export function confinedCommands(
  program: string,
  { platform, runtime }: ConfinedHost,
): readonly [...ConfinedCommand[], ConfinedCommand] {
  const run = [runtime, ...runtimeFlags(), "-e", program] as const;
  const plain: ConfinedCommand = {
    command: run,
    env: { PATH: "/usr/bin:/bin", ...(isCompiled() ? { BUN_BE_BUN: "1" } : {}) },
    // Bun reads settings from where it starts.
    workingDirectory: platform === "win32" ? "C:\\" : "/",
  };
  if (platform === "linux") {
    const file = BUBBLEWRAP.find((path) => existsSync(path));
    return file === undefined ? [plain] : [{ ...plain, command: [file, ...wallsAround(runtime), ...run] }, plain];
  }
  if (platform !== "darwin") return [plain];
  return [{ ...plain, command: ["/usr/bin/sandbox-exec", "-p", profileFor(runtime), ...run] }, plain];
}

function runtimeFlags(): readonly string[] {
  if (versions.bun !== undefined) return isCompiled() ? [] : ["--no-env-file", "--config=/dev/null", "--no-install"];
  const permission = ["--permission", "--experimental-permission"].find((flag) =>
    allowedNodeEnvironmentFlags.has(flag),
  );
  return ["--no-warnings", ...(permission === undefined ? [] : [permission])];
}

function wallsAround(runtime: string): readonly string[] {
  return [
    ...["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...LIBRARIES.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--proc", "/proc", "--dev", "/dev", "--dir", "/tmp", "--ro-bind", runtime, runtime],
    // Root could change the kernel's settings in /proc/sys, and files in memory have no limit.
    ...["/proc", "/dev", "/"].flatMap((path) => ["--remount-ro", path]),
    ...["--chdir", "/tmp"],
  ];
}

function profileFor(runtime: string): string {
  return [
    "(version 1) (allow default)",
    "(deny network*) (deny file-write*) (deny process-fork)",
    '(deny file-read* (subpath "/Users") (subpath "/private/var/folders") (subpath "/Volumes"))',
    `(allow file-read* (literal ${JSON.stringify(runtime)}))`,
  ].join(" ");
}
