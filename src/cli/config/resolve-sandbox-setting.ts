import { checkSandbox } from "../../clients/index.ts";
import type { SandboxConfig } from "../../contracts/index.ts";
import type { CliEnvironment } from "../environment.ts";
import type { Config } from "./config.ts";
import type { RunFlags } from "./run-flags.ts";

/** What decides about the sandbox of a call. */
export interface SandboxSources {
  readonly config: Config;
  readonly flags: Pick<RunFlags, "sandbox">;
  readonly environment: Pick<CliEnvironment, "env" | "workingDirectory">;
  /** Where agents work. @default that of the environment */
  readonly workingDirectory?: string;
  /** What a run that goes on was started with. @default nothing */
  readonly earlier?: SandboxConfig | undefined;
}

/**
 * The sandbox of a call: that of the run which goes on, else the settings', else the usual one where `--sandbox` wants it.
 * @throws SandboxInvalidError
 */
export function resolveSandboxSetting(sources: SandboxSources): SandboxConfig | undefined {
  const { config, flags, environment, workingDirectory = environment.workingDirectory, earlier } = sources;
  const given = config.sandbox === true ? {} : config.sandbox || undefined;
  // Who types --sandbox means the usual limits: a project can only hide more.
  const isWidened = flags.sandbox === true && config.isSandboxOfProject === true;
  const set = isWidened ? { ...(given?.denyRead === undefined ? {} : { denyRead: given.denyRead }) } : given;
  const sandbox = earlier ?? set ?? (flags.sandbox === true ? {} : undefined);
  // What cannot be used is told before anything begins.
  if (sandbox !== undefined) checkSandbox(sandbox, { home: environment.env.HOME, workingDirectory });
  return sandbox;
}
