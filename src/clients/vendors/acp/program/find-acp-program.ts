import { platform } from "node:os";
import path from "node:path";
import { ClientNotInstalledError } from "../../../../contracts/index.ts";
import { firstExecutable, foldersOnPath, isExecutable } from "../../../../system/index.ts";
import { checkProgramVersion, packageOrigins, platformPrograms } from "../../../process/find-program.ts";
import { type AcpOptions, agentTypeOf, presetOf } from "./acp-options.ts";

/**
 * Finds an agent's program: `binaryPath`, else the platform package beside Atomic, in `programDirectory` or in
 * `vendorDirectory`, else the `.bin` of `vendorDirectory`, else the PATH of `env`. A path as command is used unchanged.
 * @throws ClientNotInstalledError, AgentTooOldError, AgentTooNewError
 */
export async function findAcpProgram(
  options: AcpOptions,
  { resolveFrom = import.meta.url }: { readonly resolveFrom?: string } = {},
): Promise<string> {
  const agentType = agentTypeOf(options);
  const preset = presetOf(options);
  const command = options.command ?? preset?.command ?? "";
  const named = options.binaryPath ?? (command.includes("/") || path.isAbsolute(command) ? command : undefined);
  const remedy = preset === undefined ? "Install it, or set its command." : `Run: ${preset.installCommand}`;
  if (named !== undefined) {
    if (await isExecutable(named)) return named;
    throw new ClientNotInstalledError(agentType, `the program "${named}"`, { remedy });
  }
  // The package and the supported versions apply only to the preset's own command.
  const known = command === preset?.command ? preset : undefined;
  const { env, vendorDirectory, programDirectory } = options;
  const folders = [programDirectory, vendorDirectory];
  const origins = [...new Set(folders.flatMap((folder) => packageOrigins({ vendorDirectory: folder, resolveFrom })))];
  const packaged = known?.platformPackage === undefined ? [] : platformPrograms(origins, known.platformPackage);
  const installed = await firstExecutable(packaged);
  if (installed !== undefined) return installed;
  const own = await firstExecutable(installedPrograms(command, options));
  if (own === undefined) throw new ClientNotInstalledError(agentType, `its program "${command}"`, { remedy });
  const oldest = known?.oldestVersion;
  return oldest === undefined ? own : checkProgramVersion(own, { agentType, env, oldest, below: known?.belowVersion });
}

function installedPrograms(command: string, { env, vendorDirectory }: AcpOptions): readonly string[] {
  const suffixes = platform() === "win32" ? [".exe", ".cmd", ""] : [""];
  const vendorBin = vendorDirectory === undefined ? [] : [path.join(vendorDirectory, "node_modules", ".bin")];
  const folders = [...vendorBin, ...foldersOnPath(env)];
  return folders.flatMap((folder) => suffixes.map((suffix) => path.join(folder, command + suffix)));
}
