import { checkSandbox } from "../../clients/setup-kit.ts";
import type { SandboxConfig } from "../../contracts/index.ts";
import type { CliEnvironment } from "../environment.ts";
import type { Config } from "./config.ts";
import type { RunFlags } from "./run-flags.ts";

/** The sources of a call's sandbox. */
export interface SandboxSources {
  readonly config: Config;
  readonly flags: Pick<RunFlags, "sandbox">;
  readonly environment: Pick<CliEnvironment, "env" | "workingDirectory">;
  /** The folder in which agents work. @default that of the environment */
  readonly workingDirectory?: string;
  /** The sandbox that a resumed run was started with. @default none */
  readonly earlier?: SandboxConfig | undefined;
}

/**
 * Resolves the sandbox of a call: that of the resumed run, or that of the settings, or the default one with `--sandbox`.
 * @throws SandboxInvalidError
 */
export function resolveSandboxSetting(sources: SandboxSources): SandboxConfig | undefined {
  const { config, flags, environment, workingDirectory = environment.workingDirectory, earlier } = sources;
  const given = config.sandbox === true ? {} : config.sandbox || undefined;
  // --sandbox means the default limits: a project can only hide more files.
  const isWidened = flags.sandbox === true && config.isSandboxOfProject === true;
  const set = isWidened ? { ...(given?.denyRead === undefined ? {} : { denyRead: given.denyRead }) } : given;
  const sandbox = earlier ?? set ?? (flags.sandbox === true ? {} : undefined);
  // An unusable sandbox is reported before the run starts.
  if (sandbox !== undefined) checkSandbox(sandbox, { home: environment.env.HOME, workingDirectory });
  return sandbox;
}
