import { type ChildProcess, spawn } from "node:child_process";
import { kill } from "node:process";
import { AtomicError } from "../../contracts/index.ts";

/** The program that installs packages has failed. */
export class InstallFailedError extends AtomicError {
  constructor(
    readonly agentType: string,
    /** How it ended, for example `exit code 1`. */
    readonly ending: string,
    /** The last lines it wrote. */
    readonly lastLines: readonly string[],
  ) {
    const said = lastLines.length > 0 ? ` npm said:\n${lastLines.map((line) => `  ${line}`).join("\n")}\n` : " ";
    super(
      "INSTALL_FAILED",
      `The agent "${agentType}" could not be installed: npm ended with ${ending}.${said}Nothing was changed. Check the network and npm's settings, then try again.`,
    );
  }
}

/** Settings of {@link runInstaller}. */
export interface InstallerOptions {
  readonly agentType: string;
  /** Where the `package.json` is whose dependencies are to be installed. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

const KEPT_LINES = 12;

/** Packages' own scripts are left out: what Atomic starts is the program in the platform's package. */
const ARGUMENTS: readonly string[] = [
  "install",
  "--ignore-scripts",
  "--omit=dev",
  "--no-audit",
  "--no-fund",
  "--no-update-notifier",
  "--loglevel=error",
];

/**
 * Has npm install what a folder's `package.json` names, with the user's own settings of npm (registry, proxy).
 *
 * @throws InstallFailedError; the signal's reason when aborted
 */
export async function runInstaller({ agentType, folder, env, signal }: InstallerOptions): Promise<void> {
  signal.throwIfAborted();
  const child = spawn("npm", ARGUMENTS, {
    cwd: folder,
    env: definedIn(env),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = () => stopGroup(child);
  signal.addEventListener("abort", stop, { once: true });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      lines.push(...text.split("\n").filter((line) => line.trim() !== ""));
      lines.splice(0, lines.length - KEPT_LINES);
    });
  }
  try {
    const ending = await endingOf(child);
    signal.throwIfAborted();
    if (ending !== undefined) throw new InstallFailedError(agentType, ending, lines);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Nothing when it went well. */
function endingOf(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(`${error.message} (is npm installed?)`));
    child.once("close", (code, signal) => {
      if (code === 0) resolve(undefined);
      else resolve(signal === null ? `exit code ${code}` : `signal ${signal}`);
    });
  });
}

function stopGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    kill(-pid, "SIGTERM");
  } catch {
    // It has ended by itself.
  }
}

function definedIn(env: InstallerOptions["env"]): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
