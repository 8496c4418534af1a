import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SandboxInvalidError } from "../../contracts/index.ts";
import type { ClientOptions } from "../options/client-options.ts";
import type { ProcessSandbox } from "../process/process-sandbox.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../process/temporary-folder.ts";
import { type AgentPlaces, agentPlaces } from "./agent-places.ts";
import { checkSandbox } from "./check-sandbox.ts";
import { findSandboxPrograms, type SandboxPrograms } from "./find-sandbox-programs.ts";
import { isMounted, makePlaceholders } from "./placeholders.ts";
import { findSandboxProject, planSandbox, type SandboxNeeds } from "./plan-sandbox.ts";
import { openIncomingWay, openOutgoingWay, type PortWay } from "./port-ways.ts";
import { isLoopback, LOOPBACK, parseHost, type ResolvedSandbox } from "./resolve-sandbox.ts";
import { bubblewrapScript, openWaysScript, startAgentScript } from "./sandbox-scripts.ts";
import { buildSandboxSettings } from "./sandbox-settings.ts";

/** In a sandbox, no program can listen below this port. */
const LOWEST_PORT = 1024;

/** How often the end of a sandbox is polled, and the interval in milliseconds. */
const MAX_LOOKS = 100;
const LOOK_INTERVAL_MS = 20;

/** A sandbox that is ready for a process. */
export interface OpenedSandbox extends ProcessSandbox {
  /** The port that the agent must listen on; Atomic connects to the same number. Present if it was requested. */
  readonly port: number | undefined;
}

/** The folders of one sandbox, in a folder that only the user can read. */
interface SandboxFolder {
  readonly path: string;
  /** Settings and scripts, which the agent cannot change. */
  readonly scripts: string;
  /** Sockets that lead out. */
  readonly ways: string;
  /** What the agent may write to: sockets that lead in, and temporary files. */
  readonly own: string;
}

/**
 * Creates a sandbox for one process of an agent, if the client's options request one.
 *
 * 1. The process has its own network: it reaches hosts through the proxy of `@anthropic-ai/sandbox-runtime`, and single
 *    ports of this machine through Unix sockets that only the start of the sandbox can open.
 * 2. It has its own process ids: when the first process in it ends, the kernel ends all others, wherever they moved.
 * 3. If anything is missing, nothing is started.
 *
 * @throws SandboxUnavailableError, SandboxInvalidError
 */
export async function openSandbox(options: ClientOptions, needs: SandboxNeeds): Promise<OpenedSandbox | undefined> {
  const { sandbox: config } = options;
  if (config === undefined) return undefined;
  const { agentType, env } = needs;
  const resolved = checkSandbox(config, { home: options.env.HOME, workingDirectory: needs.workingDirectory });
  const programs = await findSandboxPrograms({ ...options, agentType, env });
  const places = agentPlaces(needs.kind ?? agentType, env);
  const network = findNetwork(options, { needs, resolved, places });
  const project = await findSandboxProject(options, { needs, resolved });
  const folder = await makeFolder();
  const ways: PortWay[] = [];
  let removeGuards = (): void => {};
  const release = async (): Promise<void> => {
    for (const way of ways) way.close();
    await waitForEnd(folder);
    removeGuards();
    await removeTemporaryFolder(folder.path);
  };
  try {
    const outgoing = [...new Set(network.ports)].map((port) => ({ port, socket: path.join(folder.ways, `${port}`) }));
    for (const { port, socket } of outgoing) ways.push(await openOutgoingWay(socket, port));
    const socket = path.join(folder.own, "agent");
    const incoming = needs.isCalled === true ? { port: (await openInto(socket, ways)).port, socket } : undefined;
    removeGuards = makePlaceholders(project.placeholders);
    const plan = planSandbox(options, {
      ...{ needs, resolved, places, project, hosts: network.hosts },
      ...{ ownReadable: [folder.ways, folder.scripts], ownWritable: folder.own },
    });
    const settings = path.join(folder.scripts, "settings.json");
    const helper = path.join(folder.scripts, "open-ways");
    writeFileSync(helper, openWaysScript({ outgoing, incoming }, programs), { mode: 0o700 });
    const bubblewrap = path.join(folder.scripts, "bwrap");
    writeFileSync(bubblewrap, bubblewrapScript(programs.bubblewrap, plan.emptied), { mode: 0o700 });
    const told = buildSandboxSettings(plan, { programs: { ...programs, bubblewrap }, helper });
    writeFileSync(settings, JSON.stringify(told), { mode: 0o600 });
    return {
      port: incoming?.port,
      enclose: createEnclosure({ folder, settings, programs, copied: plan.copied }),
      release,
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** The kernel needs a moment to end the processes in a sandbox whose first one has ended. */
async function waitForEnd(folder: SandboxFolder): Promise<void> {
  for (let looks = 0; looks < MAX_LOOKS && isMounted(folder.path); looks++) await sleep(LOOK_INTERVAL_MS);
}

async function openInto(socket: string, ways: PortWay[]): Promise<PortWay> {
  const way = await openIncomingWay(socket);
  ways.push(way);
  return way;
}

/** Starts the package's program in a folder of Atomic's: in the project, it would create files for missing ones. */
function createEnclosure(parts: {
  readonly folder: SandboxFolder;
  readonly settings: string;
  readonly programs: SandboxPrograms;
  readonly copied: readonly string[];
}): ProcessSandbox["enclose"] {
  const { folder, settings, programs, copied } = parts;
  const script = path.join(folder.scripts, "start-agent");
  const temporary = path.join(folder.own, "tmp");
  return (start) => {
    const secrets = Object.entries(start.secrets ?? {}).map(([name, text]) => {
      const file = path.join(folder.own, name);
      writeFileSync(file, text, { mode: 0o600 });
      return { name, file };
    });
    const copies = copied.map((to, index) => {
      const from = path.join(folder.scripts, `copy-${index}`);
      copyFileSync(to, from);
      return { from, to };
    });
    // The package's program runs on Bun, too, and must not get the settings of the agent's own Bun.
    const isOfBun = ([name]: readonly [string, string]) => name.startsWith("BUN_");
    const variables = Object.entries(start.env);
    const env = Object.fromEntries(variables.filter((variable) => !isOfBun(variable)));
    const later = Object.fromEntries(variables.filter(isOfBun));
    writeFileSync(script, startAgentScript(start, { temporary, secrets, copies, variables: later }), { mode: 0o700 });
    const cli = path.join(programs.packageFolder, "dist", "cli.js");
    return {
      command: [programs.runtime, cli, "--settings", settings, script],
      // Bun would keep a cache in the home folder.
      env: {
        BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
        ...env,
        TMPDIR: folder.scripts,
        CLAUDE_CODE_TMPDIR: temporary,
      },
      workingDirectory: folder.scripts,
    };
  };
}

/** The sandbox makes sockets in its folder, whose paths Linux cuts off at 108 bytes. */
const MAX_PARENT_LENGTH = 20;

async function makeFolder(): Promise<SandboxFolder> {
  const folder = await makeTemporaryFolder("sandbox", tmpdir().length > MAX_PARENT_LENGTH ? "/tmp" : tmpdir());
  const [scripts, ways, own] = ["scripts", "ways", "own"].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ]; // three names
  for (const name of [scripts, ways, own, path.join(own, "tmp")]) mkdirSync(name, { mode: 0o700 });
  return { path: folder, scripts, ways, own };
}

/** The hosts and ports of the model, and the user's. The user's own endpoint replaces the agent's usual hosts. */
function findNetwork(
  { endpoint, homeDirectory }: ClientOptions,
  parts: { readonly needs: SandboxNeeds; readonly resolved: ResolvedSandbox; readonly places: AgentPlaces },
): { readonly hosts: readonly string[]; readonly ports: readonly number[] } {
  const { needs, resolved, places } = parts;
  const address = endpoint?.baseUrl ?? needs.env.ANTHROPIC_BASE_URL;
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : undefined;
  const port = url === undefined ? 0 : Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const isHere = url !== undefined && isLoopback(url.hostname);
  const usual = endpoint === undefined && homeDirectory === undefined ? places.hosts : [];
  if (isHere && !LOOPBACK.includes(url.hostname)) {
    throw new SandboxInvalidError(
      "endpoint.baseUrl",
      `"${address}" cannot be reached from a sandbox. Write 127.0.0.1.`,
    );
  }
  if (isHere && port < LOWEST_PORT) {
    const problem = `a service at port ${port} cannot be reached from a sandbox. Have it listen above ${LOWEST_PORT - 1}.`;
    throw new SandboxInvalidError("endpoint.baseUrl", problem);
  }
  // The package supports no others.
  if (url !== undefined && !isHere && !url.hostname.startsWith("["))
    parseHost(`${url.hostname}:${port}`, "endpoint.baseUrl");
  return {
    hosts: [...usual, ...(url === undefined || isHere ? [] : [`${url.hostname}:${port}`]), ...resolved.hosts],
    ports: [...(isHere ? [port] : []), ...(needs.ports ?? []), ...resolved.ports],
  };
}
