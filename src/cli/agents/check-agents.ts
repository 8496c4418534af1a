import { basename } from "node:path";
import { ACP_PRESETS, assertSdk, findAcpProgram, type SdkName } from "../../clients/index.ts";
import { ClientNotInstalledError, messageOf } from "../../contracts/index.ts";
import { firstExecutable, programsOnPath } from "../../system/index.ts";
import type { AcpAgentSettings } from "../config/agent-settings.ts";
import { settingsOf } from "../config/config.ts";
import { vendorDirectoryOf } from "../install/install-agent.ts";
import { untrustedEnvironment } from "../trust/untrusted-environment.ts";
import { agentEnvironment } from "./agent-environment.ts";
import { isVendor, VENDORS, type Vendor } from "./agent-types.ts";
import { type AgentsOptions, acpOptions } from "./agents.ts";
import { findVendorProgram } from "./find-vendor-program.ts";
import { runNeutrally } from "./run-neutrally.ts";

/** Whether an agent can be started here. */
export interface AgentCheck {
  readonly name: string;
  /** Only `broken` makes the call fail. */
  readonly status: "ok" | "warning" | "missing" | "not trusted" | "broken";
  readonly detail: string;
  /** What to do about it. */
  readonly remedy?: string;
  /** How long the program took to print its version, in milliseconds: about what each start of the agent costs. */
  readonly startMs?: number;
}

/** Settings of {@link checkAgents}. */
export interface CheckAgentsOptions extends Omit<AgentsOptions, "defaultAgent"> {
  /** Packages are resolved from this file first. @default Atomic's own */
  readonly resolveFrom?: string;
}

/**
 * Checks the program and the SDK of every agent that has a client or is described in the settings. Runs no program of an
 * untrusted project.
 */
export async function checkAgents(options: CheckAgentsOptions): Promise<readonly AgentCheck[]> {
  const described = Object.keys(options.config.agents ?? {}).filter((name) => !isVendor(name));
  const looking = { ...withoutProject(options), searchPath: options.env.PATH ?? "" };
  return await Promise.all([
    ...VENDORS.map((name) => checkVendor(name, looking)),
    ...described.map((name) => checkAcpAgent(name, looking)),
  ]);
}

interface LookingOptions extends CheckAgentsOptions {
  /** The user's whole PATH; that of `env` leaves out a project that is not trusted. */
  readonly searchPath: string;
}

/** The environment that agents start in: the PATH has no folder of an untrusted project. */
function withoutProject(options: CheckAgentsOptions): CheckAgentsOptions {
  const { isProjectTrusted = false, workingDirectory, projectDirectory = workingDirectory, env } = options;
  if (isProjectTrusted || env.PATH === undefined) return options;
  const { PATH } = untrustedEnvironment({ PATH: env.PATH }, { workingDirectory, projectDirectory });
  return { ...options, env: { ...env, PATH } };
}

async function checkVendor(
  name: Vendor,
  { config, atomicHome, env, resolveFrom, searchPath }: LookingOptions,
): Promise<AgentCheck> {
  const { binaryPath } = config.agents?.[name] ?? {};
  const remedy =
    binaryPath === undefined
      ? `Install it with: atomic install ${name}`
      : `Correct agents.${name}.binaryPath in config.json, or remove it to use the one that is installed.`;
  const places = { vendorDirectory: vendorDirectoryOf(atomicHome, name), resolveFrom };
  const onPath = { program: binaryPath === undefined ? name : undefined, searchPath };
  let startMs: number | undefined;
  const checked = await check({ name, remedy, sdk: name, places, onPath }, async () => {
    const path = await findVendorProgram(name, { atomicHome, env, binaryPath, resolveFrom });
    const begun = performance.now();
    const version = await versionOf(path, agentEnvironment({ kind: name, env }));
    if (version === undefined) return path;
    startMs = Math.round(performance.now() - begun);
    return `${version} (${path})`;
  });
  return checked.status === "ok" && startMs !== undefined ? { ...checked, startMs } : checked;
}

async function checkAcpAgent(name: string, options: LookingOptions): Promise<AgentCheck> {
  const { atomicHome, resolveFrom, searchPath } = options;
  const remedy = `Correct agents.${name} in config.json, or install its program.`;
  const places = { vendorDirectory: vendorDirectoryOf(atomicHome, "acp"), resolveFrom };
  const onPath = { program: commandOf(name, options), searchPath };
  return await check({ name, remedy, sdk: "acp", places, onPath }, async () => {
    const program = await findAcpProgram(
      acpOptions(name, { ...options, defaultAgent: name }),
      resolveFrom === undefined ? {} : { resolveFrom },
    );
    return `ACP (${program})`;
  });
}

/** The program of an agent over ACP. */
function commandOf(name: string, { config }: LookingOptions): string | undefined {
  const settings = settingsOf(config, name) as AcpAgentSettings | undefined; // names without a client of their own have such settings
  const presetName = settings?.preset ?? name;
  const preset = Object.entries(ACP_PRESETS).find(([known]) => known === presetName)?.[1];
  return settings?.command ?? preset?.command;
}

interface CheckedAgent {
  readonly name: string;
  /** What to do when the program is missing or broken. */
  readonly remedy: string;
  readonly sdk: SdkName;
  readonly places: { readonly vendorDirectory: string; readonly resolveFrom: string | undefined };
  /** The program as the PATH is searched for it, and the user's whole PATH. */
  readonly onPath: { readonly program: string | undefined; readonly searchPath: string };
}

/** An agent needs its program and its SDK. npm does not install the SDK, because it is an optional peer. */
async function check(
  { name, remedy, sdk, places, onPath }: CheckedAgent,
  findProgram: () => Promise<string>,
): Promise<AgentCheck> {
  let detail: string;
  try {
    detail = await findProgram();
  } catch (error) {
    const isMissing = error instanceof ClientNotInstalledError;
    return (isMissing ? await findInProject(name, onPath) : undefined) ?? describeFailure(error, { name, remedy });
  }
  try {
    assertSdk(sdk, { ...places, agentType: name });
    return { name, status: "ok", detail };
  } catch (error) {
    return describeFailure(error, { name, remedy: `Install it with: atomic install ${sdk}` });
  }
}

/** A program that is only on the whole PATH belongs to the project. It is not run. */
async function findInProject(
  name: string,
  { program, searchPath }: CheckedAgent["onPath"],
): Promise<AgentCheck | undefined> {
  if (program === undefined || program.includes("/")) return undefined;
  const found = await firstExecutable(programsOnPath(program, { PATH: searchPath }));
  if (found === undefined) return undefined;
  const remedy = "Trust the project with: atomic trust add. Or install the program outside of it.";
  return { name, status: "not trusted", detail: `${found} is in this project, which is not trusted`, remedy };
}

function describeFailure(error: unknown, about: Pick<CheckedAgent, "name" | "remedy">): AgentCheck {
  const status = error instanceof ClientNotInstalledError ? "missing" : "broken";
  return { ...about, status, detail: messageOf(error) };
}

/** Copilot's runtime has no `--version`: it is part of the SDK and has its version. */
async function versionOf(path: string, env: Readonly<Record<string, string>>): Promise<string | undefined> {
  if (basename(path).startsWith("copilot-runtime")) return undefined;
  return await runNeutrally(path, ["--version"], { env, timeoutMs: 30_000 });
}
