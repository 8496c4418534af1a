import { basename } from "node:path";
import { assertSdk, findAcpProgram, type SdkName } from "../clients/index.ts";
import { ClientNotInstalledError, messageOf } from "../contracts/index.ts";
import { agentEnvironment } from "./agent-environment.ts";
import { isVendor, VENDORS, type Vendor } from "./agent-types.ts";
import { type AgentsOptions, acpOptions } from "./agents.ts";
import { findVendorProgram } from "./find-vendor-program.ts";
import { vendorDirectoryOf } from "./install/install-agent.ts";
import { runNeutrally } from "./run-neutrally.ts";

/** Whether an agent can be started here. */
export interface AgentCheck {
  readonly name: string;
  /** `missing` is worth knowing but stops nothing. */
  readonly status: "ok" | "missing" | "broken";
  readonly detail: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** Settings of {@link checkAgents}. */
export interface CheckAgentsOptions extends Omit<AgentsOptions, "defaultAgent"> {
  /** The file from whose place packages are looked for first. @default Atomic's own */
  readonly resolveFrom?: string;
}

/** Looks for what all agents with a client of their own need, and those that the settings describe: program and SDK. */
export async function checkAgents(options: CheckAgentsOptions): Promise<readonly AgentCheck[]> {
  const described = Object.keys(options.config.agents ?? {}).filter((name) => !isVendor(name));
  return await Promise.all([
    ...VENDORS.map((name) => checkVendor(name, options)),
    ...described.map((name) => checkAcpAgent(name, options)),
  ]);
}

async function checkVendor(
  name: Vendor,
  { config, atomicHome, env, resolveFrom }: CheckAgentsOptions,
): Promise<AgentCheck> {
  const { binaryPath } = config.agents?.[name] ?? {};
  const remedy =
    binaryPath === undefined
      ? `Install it with: atomic install ${name}`
      : `Correct agents.${name}.binaryPath in config.json, or remove it to use the one that is installed.`;
  const places = { vendorDirectory: vendorDirectoryOf(atomicHome, name), resolveFrom };
  return await check({ name, remedy, sdk: name, places }, async () => {
    const path = await findVendorProgram(name, { atomicHome, env, binaryPath, resolveFrom });
    const version = await versionOf(path, agentEnvironment({ kind: name, env }));
    return version === undefined ? path : `${version} (${path})`;
  });
}

async function checkAcpAgent(name: string, options: CheckAgentsOptions): Promise<AgentCheck> {
  const { atomicHome, resolveFrom } = options;
  const remedy = `Correct agents.${name} in config.json, or install its program.`;
  const places = { vendorDirectory: vendorDirectoryOf(atomicHome, "acp"), resolveFrom };
  return await check({ name, remedy, sdk: "acp", places }, async () => {
    const program = await findAcpProgram(
      acpOptions(name, { ...options, defaultAgent: name }),
      resolveFrom === undefined ? {} : { resolveFrom },
    );
    return `ACP (${program})`;
  });
}

interface CheckedAgent {
  readonly name: string;
  /** What to do where the program is not in order. */
  readonly remedy: string;
  readonly sdk: SdkName;
  readonly places: { readonly vendorDirectory: string; readonly resolveFrom: string | undefined };
}

/** The program is one half of an agent, the package that speaks with it the other: npm leaves out optional peers. */
async function check(
  { name, remedy, sdk, places }: CheckedAgent,
  findProgram: () => Promise<string>,
): Promise<AgentCheck> {
  let detail: string;
  try {
    detail = await findProgram();
  } catch (error) {
    return describeFailure(error, { name, remedy });
  }
  try {
    assertSdk(sdk, { ...places, agentType: name });
    return { name, status: "ok", detail };
  } catch (error) {
    return describeFailure(error, { name, remedy: `Install it with: atomic install ${sdk}` });
  }
}

function describeFailure(error: unknown, about: Pick<CheckedAgent, "name" | "remedy">): AgentCheck {
  const status = error instanceof ClientNotInstalledError ? "missing" : "broken";
  return { ...about, status, detail: messageOf(error) };
}

/** Copilot's runtime knows no `--version`: it is a part of the SDK, and of its version. */
async function versionOf(path: string, env: Readonly<Record<string, string>>): Promise<string | undefined> {
  if (basename(path).startsWith("copilot-runtime")) return undefined;
  return await runNeutrally(path, ["--version"], { env, timeoutMs: 30_000 });
}
