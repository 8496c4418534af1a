import { execFile } from "node:child_process";
import { basename } from "node:path";
import { promisify } from "node:util";
import { findAcpProgram, findClaude, findCopilot, findOpenCode } from "../clients/index.ts";
import { ClientNotInstalledError, messageOf } from "../contracts/index.ts";
import { type AgentsOptions, acpOptions } from "./agents.ts";
import { vendorDirectoryOf } from "./install/install-agent.ts";

/** Whether an agent can be started here. */
export interface AgentCheck {
  readonly name: string;
  /** `missing` is worth knowing but stops nothing. */
  readonly status: "ok" | "missing" | "broken";
  readonly detail: string;
  /** What to do about it. */
  readonly remedy?: string;
}

type Vendor = "claude" | "opencode" | "copilot";

const FINDERS = { claude: findClaude, opencode: findOpenCode, copilot: findCopilot } as const;

/** Looks for the programs of all agents with a client of their own, and of those that the settings describe. */
export async function checkAgents(options: Omit<AgentsOptions, "defaultAgent">): Promise<readonly AgentCheck[]> {
  const vendors: readonly Vendor[] = ["claude", "opencode", "copilot"];
  const described = Object.keys(options.config.agents ?? {}).filter((name) => !isVendor(name));
  return await Promise.all([
    ...vendors.map((name) => checkVendor(name, options)),
    ...described.map((name) => checkAcpAgent(name, { ...options, defaultAgent: name })),
  ]);
}

function isVendor(name: string): name is Vendor {
  return Object.hasOwn(FINDERS, name);
}

async function checkVendor(
  name: Vendor,
  { config, atomicHome, env }: Omit<AgentsOptions, "defaultAgent">,
): Promise<AgentCheck> {
  const { binaryPath } = config.agents?.[name] ?? {};
  const remedy =
    binaryPath === undefined
      ? `Install it with: atomic install ${name}`
      : `Correct agents.${name}.binaryPath in config.json, or remove it to use the one that is installed.`;
  return await check(name, remedy, async () => {
    const path = await FINDERS[name]({
      env: { PATH: env.PATH ?? "" },
      vendorDirectory: vendorDirectoryOf(atomicHome, name),
      ...(binaryPath === undefined ? {} : { binaryPath }),
    });
    const version = await versionOf(path);
    return version === undefined ? path : `${version} (${path})`;
  });
}

async function checkAcpAgent(name: string, options: AgentsOptions): Promise<AgentCheck> {
  return await check(name, `Correct agents.${name} in config.json, or install its program.`, async () => {
    return `ACP (${await findAcpProgram(acpOptions(name, options))})`;
  });
}

async function check(name: string, remedy: string, look: () => Promise<string>): Promise<AgentCheck> {
  try {
    return { name, status: "ok", detail: await look() };
  } catch (error) {
    const status = error instanceof ClientNotInstalledError ? "missing" : "broken";
    return { name, status, detail: messageOf(error), remedy };
  }
}

/** Copilot's runtime knows no `--version`: it is a part of the SDK, and of its version. */
async function versionOf(path: string): Promise<string | undefined> {
  if (basename(path).startsWith("copilot-runtime")) return undefined;
  const { stdout } = await promisify(execFile)(path, ["--version"], { timeout: 30_000 });
  return stdout.trim();
}
