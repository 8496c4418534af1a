import { AtomicError } from "../../contracts/index.ts";
import { runCommand } from "../../graph/index.ts";
import { installedName } from "./vendor-packages.ts";

/** npm failed. */
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
      `${installedName(agentType)} could not be installed: npm ended with ${ending}.${said}Nothing was changed. Check the network and npm's settings, then try again.`,
    );
  }
}

/** Settings of {@link runInstaller}. */
export interface InstallerOptions {
  readonly agentType: string;
  /** The folder of the `package.json` whose dependencies are installed. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

const KEPT_LINES = 12;

/** Does not run the packages' scripts: Atomic starts the program in the platform's package. */
const COMMAND = "npm install --ignore-scripts --omit=dev --no-audit --no-fund --no-update-notifier --loglevel=error";

/** The shell's exit code for an unknown program. */
const NOT_FOUND = 127;

/**
 * Runs npm in a folder with a `package.json`, with the user's npm settings (registry, proxy). npm ends with this process,
 * also on `kill -9`.
 *
 * @throws InstallFailedError; the signal's reason when aborted
 */
export async function runInstaller({ agentType, folder, env, signal }: InstallerOptions): Promise<void> {
  const { exitCode, stdout, stderr } = await runCommand(COMMAND, {
    workingDirectory: folder,
    env: definedIn(env),
    signal,
  });
  if (exitCode === 0) return;
  const ending = exitCode === NOT_FOUND ? `exit code ${exitCode} (is npm installed?)` : `exit code ${exitCode}`;
  const lines = `${stdout}\n${stderr}`.split("\n").filter((line) => line.trim() !== "");
  throw new InstallFailedError(agentType, ending, lines.slice(-KEPT_LINES));
}

function definedIn(env: InstallerOptions["env"]): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
