import { arch, platform } from "node:os";
import path from "node:path";
import { ClientNotInstalledError } from "../../contracts/index.ts";
import {
  firstExecutable,
  foldersOnPath,
  isExecutable,
  packageOrigins,
  resolvePackage,
} from "../process/find-program.ts";
import { type AcpOptions, agentTypeOf, presetOf } from "./acp-options.ts";

/**
 * Finds an agent's program: `binaryPath`, else the platform package beside Atomic, in `programDirectory` or in
 * `vendorDirectory`, else the `.bin` of `vendorDirectory`, else the PATH of `env`. A command that is a path is taken as it is.
 * @throws ClientNotInstalledError
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
  const found = await firstExecutable(candidatesFor(command, { options, resolveFrom }));
  if (found !== undefined) return found;
  throw new ClientNotInstalledError(agentType, `its program "${command}"`, { remedy });
}

function candidatesFor(
  command: string,
  { options, resolveFrom }: { readonly options: AcpOptions; readonly resolveFrom: string },
): readonly string[] {
  const { env, vendorDirectory, programDirectory } = options;
  const suffixes = platform() === "win32" ? [".exe", ".cmd", ""] : [""];
  const folders = [programDirectory, vendorDirectory];
  const origins = [...new Set(folders.flatMap((folder) => packageOrigins({ vendorDirectory: folder, resolveFrom })))];
  // Only a command that is the preset's own is the one in its package.
  const packaged = command === presetOf(options)?.command ? packagedPrograms(options, origins) : [];
  const vendorBin = vendorDirectory === undefined ? [] : [path.join(vendorDirectory, "node_modules", ".bin")];
  const searched = [...vendorBin, ...foldersOnPath(env)];
  return [...packaged, ...searched.flatMap((folder) => suffixes.map((suffix) => path.join(folder, command + suffix)))];
}

function packagedPrograms(options: AcpOptions, origins: readonly string[]): readonly string[] {
  const platformPackage = presetOf(options)?.platformPackage;
  if (platformPackage === undefined) return [];
  const system = platform() === "win32" ? "windows" : platform();
  const base = platformPackage.name.replace("{platform}", system).replace("{arch}", arch());
  const file = platform() === "win32" ? `${platformPackage.file}.exe` : platformPackage.file;
  // Processors without AVX2 need `-baseline`, systems without glibc `-musl`; npm installs only what fits.
  const names = ["", "-baseline", "-musl", "-baseline-musl"].map((variant) => base + variant);
  return origins.flatMap((origin) =>
    names.flatMap((name) => {
      const manifest = resolvePackage(origin, `${name}/package.json`);
      return manifest === undefined ? [] : [path.join(path.dirname(manifest), file)];
    }),
  );
}
