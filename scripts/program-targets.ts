/** A platform that Atomic can be compiled for. */
export interface ProgramTarget {
  readonly name: string;
  /** What Bun calls it, in `--target`. */
  readonly bunTarget: string;
  /** The package with Bun for it, and Bun's path in it. */
  readonly runtime: { readonly package: string; readonly path: string };
  /** The package with the native library that draws the chat. */
  readonly library: string;
  /** The file's name. */
  readonly program: string;
}

/** Every platform that Atomic can be compiled for. */
export const PROGRAM_TARGETS: readonly ProgramTarget[] = [
  target("linux-x64", { cpu: "x64", library: "linux-x64" }),
  target("linux-arm64", { cpu: "aarch64", library: "linux-arm64" }),
  target("darwin-arm64", { cpu: "aarch64", library: "darwin-arm64" }),
  target("darwin-x64", { cpu: "x64", library: "darwin-x64" }),
  target("windows-x64", { cpu: "x64", library: "win32-x64" }),
];

function target(name: string, { cpu, library }: { readonly cpu: string; readonly library: string }): ProgramTarget {
  const system = name.slice(0, name.indexOf("-"));
  const suffix = system === "windows" ? ".exe" : "";
  return {
    name,
    bunTarget: `bun-${name}`,
    runtime: { package: `@oven/bun-${system}-${cpu}`, path: `bin/bun${suffix}` },
    library: `@opentui/core-${library}`,
    program: `atomic-${name}${suffix}`,
  };
}

/** The target that is this machine. Undefined where it is none of them. */
export function targetOfMachine({ platform, arch }: { readonly platform: string; readonly arch: string }) {
  const system = platform === "win32" ? "windows" : platform;
  return PROGRAM_TARGETS.find(({ name }) => name === `${system}-${arch}`);
}
