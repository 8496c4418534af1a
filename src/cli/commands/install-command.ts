import { join } from "node:path";
import { findSandboxPrograms } from "../../clients/index.ts";
import { nearestName, SandboxUnavailableError } from "../../contracts/index.ts";
import { type FindVendorProgramOptions, findVendorProgram } from "../agents/find-vendor-program.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { installAgent, installedVersions, vendorDirectoryOf } from "../install/install-agent.ts";
import { SANDBOX, type SignIn, VENDOR_PACKAGES } from "../install/vendor-packages.ts";
import { formatJson } from "../output/format-json.ts";
import { withoutProjectPrograms } from "../trust/untrusted-environment.ts";
import { Workspace } from "../workspace.ts";

/** Options of `atomic install`. */
export interface InstallFlags {
  readonly json?: boolean;
  /** Installs again what is installed. */
  readonly force?: boolean;
}

/** `atomic install NAME`: the version of an agent, or of the sandbox, that Atomic is tested with, apart from the user's own. */
export async function installCommand(
  environment: CliEnvironment,
  agentType: string,
  flags: InstallFlags,
): Promise<ExitCode> {
  const vendor = Object.hasOwn(VENDOR_PACKAGES, agentType) ? VENDOR_PACKAGES[agentType] : undefined;
  if (vendor === undefined) {
    const names = Object.keys(VENDOR_PACKAGES);
    const nearest = nearestName(agentType, names);
    const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
    throw new UsageError(`There is no "${agentType}" to install. Possible: ${names.join(", ")}.${hint}`);
  }
  const { packages, megabytes, signIn } = vendor;
  const workspace = new Workspace(environment);
  const { atomicHome } = workspace;
  const folder = vendorDirectoryOf(atomicHome, agentType);
  const own = withoutProjectPrograms(environment, workspace);
  const report = async (status: "installed" | "present"): Promise<ExitCode> => {
    const lack = signIn === undefined ? await findLack(own, folder) : undefined;
    const how = signIn && `Sign in with: ${await describeSignIn(signIn, { atomicHome, env: environment.env })}`;
    const next =
      how ?? (lack === undefined ? "Agents can run in it." : `It needs ${lack.missing.join(", ")}. ${lack.remedy}`);
    const text = `${agentType} ${status === "installed" ? "is installed" : "was installed already"} in ${folder}\n${next}\n`;
    const result = {
      agent: agentType,
      status,
      folder,
      packages,
      ...(lack && { missing: lack.missing, remedy: lack.remedy }),
    };
    environment.stdout.write(flags.json ? `${formatJson(result)}\n` : text);
    return ExitCode.done;
  };
  const present = await installedVersions(folder, packages);
  const isPresent =
    present !== undefined && Object.entries(packages).every(([name, version]) => present[name] === version);
  if (isPresent && !flags.force) return await report("present");
  const interruption = new AbortController();
  const stopListening = environment.onSignal(() => interruption.abort(new Error("Interrupted")));
  if (!flags.json) environment.stderr.write(`Installing ${agentType} (about ${megabytes} MB) …\n`);
  try {
    const vendorRoot = join(atomicHome, "vendor");
    const { env, pid: processId } = own;
    await installAgent({ vendorRoot, agentType, packages, env, processId, signal: interruption.signal });
    return await report("installed");
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    environment.stderr.write("Cancelled; nothing was changed.\n");
    return ExitCode.cancelled;
  } finally {
    stopListening();
  }
}

/** What of the system a sandbox needs besides the package in the folder; nothing where all is there. */
async function findLack(
  { env }: CliEnvironment,
  sandboxDirectory: string,
): Promise<SandboxUnavailableError | undefined> {
  const search = env.PATH === undefined ? {} : { PATH: env.PATH };
  try {
    await findSandboxPrograms({ agentType: SANDBOX, env: search, sandboxDirectory });
    return undefined;
  } catch (error) {
    if (error instanceof SandboxUnavailableError) return error;
    throw error;
  }
}

/** What is installed is on nobody's PATH, so that the program is named by its place. */
async function describeSignIn(signIn: SignIn, places: FindVendorProgramOptions): Promise<string> {
  if (signIn.type === "words") return signIn.text;
  const program = await findVendorProgram(signIn.vendor, places);
  return `${/^[\w/.@+-]+$/.test(program) ? program : `"${program}"`} ${signIn.args}`;
}
