import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import path from "node:path";
import { ClientNotInstalledError } from "../../contracts/index.ts";
import { type AcpOptions, agentTypeOf, presetOf } from "./acp-options.ts";

/**
 * Finds an agent's program: `binaryPath`, else the platform package beside Atomic or in `vendorDirectory`, else the
 * `.bin` of `vendorDirectory`, else the PATH of `env`. A command that is a path is taken as it is.
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
  for (const candidate of candidatesFor(command, { options, resolveFrom })) {
    if (await isExecutable(candidate)) return candidate;
  }
  throw new ClientNotInstalledError(agentType, `its program "${command}"`, { remedy });
}

function candidatesFor(
  command: string,
  { options, resolveFrom }: { readonly options: AcpOptions; readonly resolveFrom: string },
): readonly string[] {
  const { env, vendorDirectory } = options;
  const suffixes = platform() === "win32" ? [".exe", ".cmd", ""] : [""];
  const origins = [resolveFrom, ...(vendorDirectory === undefined ? [] : [path.join(vendorDirectory, "package.json")])];
  // Only a command that is the preset's own is the one in its package.
  const packaged = command === presetOf(options)?.command ? packagedPrograms(options, origins) : [];
  const vendorBin = vendorDirectory === undefined ? [] : [path.join(vendorDirectory, "node_modules", ".bin")];
  // An install without scripts leaves an error message in `.bin` instead of a program.
  const isOwnBin = (folder: string) => path.resolve(folder).endsWith(path.join("node_modules", ".bin"));
  const hasPackage = packaged.length > 0;
  const folders = (env.PATH ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const searched = [...vendorBin, ...folders.filter((folder) => !(hasPackage && isOwnBin(folder)))];
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
      try {
        return [path.join(path.dirname(createRequire(origin).resolve(`${name}/package.json`)), file)];
      } catch {
        return []; // It is not installed there.
      }
    }),
  );
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
