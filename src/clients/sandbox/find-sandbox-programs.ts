import { execFile } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { arch, platform } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { messageOf, SandboxUnavailableError } from "../../contracts/index.ts";
import { firstExecutable, programsOnPath } from "../../system/index.ts";
import { type PackagePlaces, packageOrigins, resolvePackage } from "../process/find-program.ts";

/** The programs that create a sandbox. */
export interface SandboxPrograms {
  /** Runs the package's program: Bun or Node. */
  readonly runtime: string;
  /** The folder of `@anthropic-ai/sandbox-runtime`. */
  readonly packageFolder: string;
  readonly bubblewrap: string;
  readonly socat: string;
  readonly ripgrep: string;
  /** Installs the filter of system calls. */
  readonly seccompHelper: string;
}

/** Where the programs are searched. */
export interface FindSandboxOptions extends PackagePlaces {
  /** The agent's name in the error. */
  readonly agentType: string;
  /** Its `PATH` is searched. */
  readonly env: Readonly<Record<string, string>>;
  /** See `ClientOptions.sandboxDirectory`. */
  readonly sandboxDirectory?: string | undefined;
}

export const SANDBOX_PACKAGE = "@anthropic-ai/sandbox-runtime";

/** Debian's name for the package of a program. */
const DEBIAN_PACKAGES = { bwrap: "bubblewrap", socat: "socat", rg: "ripgrep", bash: "bash" } as const;

/** Below this size, the program of the npm package `bun` is only a placeholder. */
const PLACEHOLDER_MAX_BYTES = 1_000_000;

const PROBE_TIMEOUT_MS = 10_000;

/** What the sandbox does to a process, tested with one that does nothing. */
const PROBE = [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-net",
  "--unshare-ipc",
  "--unshare-uts",
  "--ro-bind",
  "/",
  "/",
  "--proc",
  "/proc",
  "--dev",
];

/**
 * Finds everything that a sandbox needs, and tests whether the kernel allows it.
 * @throws SandboxUnavailableError
 */
export async function findSandboxPrograms(options: FindSandboxOptions): Promise<SandboxPrograms> {
  const { agentType, env } = options;
  if (platform() !== "linux") {
    throw new SandboxUnavailableError(agentType, ["Linux"], "Run Atomic on Linux, in a container for example.");
  }
  const packageFolder = findPackage(options);
  const seccompHelper = packageFolder && path.join(packageFolder, "vendor", "seccomp", arch(), "apply-seccomp");
  const names = ["bwrap", "socat", "rg", "bash"] as const;
  const [bubblewrap, socat, ripgrep, bash] = await Promise.all(
    names.map((name) => firstExecutable(programsOnPath(name, env))),
  );
  const runtime = await findRuntime(options);
  if (
    packageFolder &&
    seccompHelper &&
    existsSync(seccompHelper) &&
    bubblewrap &&
    socat &&
    ripgrep &&
    bash &&
    runtime
  ) {
    await tryNamespaces(bubblewrap, options);
    return { runtime, packageFolder, bubblewrap, socat, ripgrep, seccompHelper };
  }
  const programs = { bwrap: bubblewrap, socat, rg: ripgrep, bash };
  const packages = names.flatMap((name) => (programs[name] === undefined ? [DEBIAN_PACKAGES[name]] : []));
  if (packageFolder !== undefined && seccompHelper !== undefined && !existsSync(seccompHelper)) {
    throw new SandboxUnavailableError(agentType, [`a processor that ${SANDBOX_PACKAGE} is made for`], NO_OTHER_WAY);
  }
  throw new SandboxUnavailableError(
    agentType,
    [
      ...names.flatMap((name) => (programs[name] === undefined ? [`the program "${name}"`] : [])),
      ...(packageFolder === undefined ? [`the npm package ${SANDBOX_PACKAGE}`] : []),
      ...(runtime === undefined ? ["Bun or Node"] : []),
    ],
    [
      ...(packages.length === 0 ? [] : [`On Debian and Ubuntu run: sudo apt-get install ${packages.join(" ")}`]),
      ...(packageFolder === undefined
        ? [`Run "atomic install sandbox", or beside Atomic: npm install ${SANDBOX_PACKAGE}`]
        : []),
      ...(runtime === undefined ? ["Put bun or node on the PATH."] : []),
    ].join(" "),
  );
}

const NO_OTHER_WAY = "There is none for this one; use a container instead.";

function findPackage(options: FindSandboxOptions): string | undefined {
  const { sandboxDirectory } = options;
  const own = sandboxDirectory === undefined ? [] : [path.join(sandboxDirectory, "package.json")];
  // The package exports its main file only.
  const mains = [...packageOrigins(options), ...own].map((origin) => resolvePackage(origin, SANDBOX_PACKAGE));
  const main = mains.find((found) => found !== undefined);
  return main === undefined ? undefined : path.dirname(path.dirname(main));
}

/** The Bun that was installed with Atomic, else one on the PATH, else Node. */
async function findRuntime(options: FindSandboxOptions): Promise<string | undefined> {
  const manifests = packageOrigins(options).map((origin) => resolvePackage(origin, "bun/package.json"));
  const packaged = manifests.flatMap((manifest) =>
    manifest === undefined ? [] : [path.join(path.dirname(manifest), "bin", "bun.exe")],
  );
  const whole = packaged.filter((file) => existsSync(file) && statSync(file).size > PLACEHOLDER_MAX_BYTES);
  return firstExecutable([...whole, ...programsOnPath("bun", options.env), ...programsOnPath("node", options.env)]);
}

/** Many systems deny what a sandbox needs: containers, and Ubuntu by default. */
async function tryNamespaces(bubblewrap: string, { agentType, env }: FindSandboxOptions): Promise<void> {
  try {
    await promisify(execFile)(bubblewrap, [...PROBE, "/dev", "/bin/sh", "-c", ":"], {
      env: { ...env },
      timeout: PROBE_TIMEOUT_MS,
    });
  } catch (cause) {
    const said = cause instanceof Error && "stderr" in cause ? String(cause.stderr).trim() : messageOf(cause);
    throw new SandboxUnavailableError(
      agentType,
      [`namespaces of its own, which this system denies (${said})`],
      "Allow them: sudo sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0; in a container start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined.",
      { cause },
    );
  }
}
