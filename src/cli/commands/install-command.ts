import { join } from "node:path";
import { nearestName } from "../../contracts/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { type FindVendorProgramOptions, findVendorProgram } from "../find-vendor-program.ts";
import { formatJson } from "../format-json.ts";
import { installAgent, installedVersions, vendorDirectoryOf } from "../install/install-agent.ts";
import { type SignIn, VENDOR_PACKAGES } from "../install/vendor-packages.ts";
import { withoutProjectPrograms } from "../trust/untrusted-environment.ts";
import { UsageError } from "../usage-error.ts";
import { Workspace } from "../workspace.ts";

/** Options of `atomic install`. */
export interface InstallFlags {
  readonly json?: boolean;
  /** Installs again what is installed. */
  readonly force?: boolean;
}

/** `atomic install NAME`: the version of an agent that Atomic is tested with, apart from the user's own. */
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
    throw new UsageError(`There is no agent "${agentType}" to install. Known agents: ${names.join(", ")}.${hint}`);
  }
  const { packages, megabytes, signIn } = vendor;
  const workspace = new Workspace(environment);
  const { atomicHome } = workspace;
  const folder = vendorDirectoryOf(atomicHome, agentType);
  const report = async (status: "installed" | "present"): Promise<ExitCode> => {
    const how = await describeSignIn(signIn, { atomicHome, env: environment.env });
    const text = `${agentType} ${status === "installed" ? "is installed" : "was installed already"} in ${folder}\nSign in with: ${how}\n`;
    environment.stdout.write(flags.json ? `${formatJson({ agent: agentType, status, folder, packages })}\n` : text);
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
    const { env, pid: processId } = withoutProjectPrograms(environment, workspace);
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

/** What is installed is on nobody's PATH, so that the program is named by its place. */
async function describeSignIn(signIn: SignIn, places: FindVendorProgramOptions): Promise<string> {
  if (signIn.type === "words") return signIn.text;
  const program = await findVendorProgram(signIn.vendor, places);
  return `${/^[\w/.@+-]+$/.test(program) ? program : `"${program}"`} ${signIn.args}`;
}
