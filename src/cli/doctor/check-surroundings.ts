import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "../../contracts/index.ts";
import { firstExecutable, programsOnPath } from "../../system/index.ts";
import { agentEnvironment } from "../agents/agent-environment.ts";
import type { AgentCheck as Check } from "../agents/check-agents.ts";
import { runNeutrally } from "../agents/run-neutrally.ts";
import type { CliEnvironment } from "../environment.ts";
import { terminalSize } from "../prompts/ask-choice.ts";

const MEGABYTE = 1_000_000;

/** With less free space, in bytes, a run can soon no longer write its journal. */
const LOW_SPACE = 1_000 * MEGABYTE;

/** With less, in bytes, no run can start. */
const NO_SPACE = 20 * MEGABYTE;

/** What the terminal can show: its size, colours and characters. */
export async function checkTerminal({ stdout, isInteractive, env }: CliEnvironment): Promise<Check> {
  const { findObstacle, readTerminalFacts } = await import("../../tui/index.ts");
  const facts = readTerminalFacts({
    stdin: { isTTY: isInteractive },
    stdout: { isTTY: stdout.isTTY, ...terminalSize(stdout.stream) },
    env,
  });
  const name = "terminal";
  if (!stdout.isTTY) return { name, status: "ok", detail: "none: the output is not a terminal" };
  const { columns, rows, colors, hasUnicode, isTmux } = facts;
  const shown = { none: "no colours", "16": "16 colours", "256": "256 colours", truecolor: "truecolor" }[colors];
  const parts = [
    ...[`${facts.name || "TERM is not set"}`, `${columns} × ${rows}`, shown],
    ...[hasUnicode ? "Unicode" : "no Unicode", ...(isTmux ? ["tmux"] : [])],
  ];
  const detail = parts.join(", ");
  const obstacle = isInteractive ? findObstacle(facts) : undefined;
  if (obstacle === undefined) return { name, status: "ok", detail };
  return { name, status: "warning", detail, remedy: `The chat prints lines of text only, because ${obstacle}.` };
}

/** GitHub's program, which opens pull requests. Ignores relative folders of the PATH, as with git. */
export async function checkGitHub({ env, userHomeDirectory }: CliEnvironment): Promise<Check> {
  const name = "gh";
  const missing: Check = {
    ...{ name, status: "missing", detail: "not found" },
    remedy: "Only atomic ralph --pr needs it: install GitHub's program gh, and run gh auth login.",
  };
  try {
    const own = agentEnvironment({ kind: name, env });
    const program = await firstExecutable(programsOnPath(name, own));
    if (program === undefined) return missing;
    const version = await runNeutrally(program, ["--version"], { env: own, timeoutMs: 10_000 });
    const folder = env.GH_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(userHomeDirectory, ".config"), "gh");
    const hasLogin = [env.GH_TOKEN, env.GITHUB_TOKEN].some(Boolean) || existsSync(join(folder, "hosts.yml"));
    const login = hasLogin ? "login found" : "no login found";
    return { name, status: "ok", detail: `${version.split("\n")[0] ?? ""}, ${login}` };
  } catch (error) {
    return { ...missing, detail: messageOf(error) };
  }
}

/** The free space where runs are kept. @param readSpace the free bytes of a folder's file system */
export async function checkDisk(
  atomicHome: string,
  readSpace: (folder: string) => Promise<number> = readFreeBytes,
): Promise<Check> {
  const name = "disk";
  try {
    const free = await readSpace(nearestFolder(atomicHome));
    const detail = `${formatBytes(free)} free for runs, in ${atomicHome}`;
    if (free >= LOW_SPACE) return { name, status: "ok", detail };
    const remedy = "Free some space, delete old runs with atomic runs delete, or set ATOMIC_HOME to another disk.";
    return { name, status: free < NO_SPACE ? "broken" : "warning", detail, remedy };
  } catch (error) {
    return { name, status: "warning", detail: `The free space is unknown: ${messageOf(error)}` };
  }
}

async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

function formatBytes(bytes: number): string {
  return bytes >= 1_000 * MEGABYTE
    ? `${(bytes / (1_000 * MEGABYTE)).toFixed(1)} GB`
    : `${Math.floor(bytes / MEGABYTE)} MB`;
}
