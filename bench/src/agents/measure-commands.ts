import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { nameProblem } from "../run-measurement.ts";
import { type Spread, spreadOf } from "../spread.ts";
import { type AgentName, VARIANTS, type Variant } from "./agent-driver.ts";
import { prepareCommand, type WholeCommand } from "./whole-command.ts";

const TIMEOUT_MS = 60_000;
const COMMAND_COUNT = 5;

/** How long whole commands last from their start to their end, in milliseconds. */
export interface CommandComparison {
  readonly agent: AgentName;
  readonly directMillis: Spread;
  readonly atomicMillis: Spread;
  /** How many times as long Atomic's command lasts: the median over pairs that ran one after the other. */
  readonly ratio: Spread;
}

/** Settings of {@link measureCommands}. */
export interface MeasureCommandsOptions {
  readonly modelUrl: string;
  /** Each is five pairs of commands, after one pair that is not counted. */
  readonly repetitions: number;
}

/**
 * Asks an agent the same with the vendor's own command and with `atomic -p`, in turns, each with a home of its own that
 * has been used before. @throws Error when a command fails or answers something else
 */
export async function measureCommands(
  agent: AgentName,
  { modelUrl, repetitions }: MeasureCommandsOptions,
): Promise<CommandComparison> {
  const root = await mkdtemp(join(tmpdir(), "atomic-bench-"));
  const times: Record<Variant, number[]> = { direct: [], atomic: [] };
  try {
    const folders = { direct: join(root, "direct"), atomic: join(root, "atomic") };
    const commands = new Map<Variant, WholeCommand>();
    for (const variant of VARIANTS) {
      const setup = {
        modelUrl,
        homeFolder: join(folders[variant], "home"),
        workFolder: join(folders[variant], "work"),
        searchPath: process.env.PATH ?? "",
      };
      commands.set(variant, await prepareCommand(agent, variant, setup));
    }
    for (let pair = 0; pair <= repetitions * COMMAND_COUNT; pair++) {
      for (const variant of pair % 2 === 0 ? VARIANTS : VARIANTS.toReversed()) {
        const command = commands.get(variant);
        if (command === undefined) continue;
        const millis = await runOnce(command, join(folders[variant], "work"));
        if (pair > 0) times[variant].push(millis);
      }
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  const ratios = times.atomic.map((millis, index) => millis / (times.direct[index] ?? Number.NaN));
  return {
    agent,
    directMillis: known(spreadOf(times.direct)),
    atomicMillis: known(spreadOf(times.atomic)),
    ratio: known(spreadOf(ratios)),
  };
}

async function runOnce({ command: [file = "", ...args], env }: WholeCommand, cwd: string): Promise<number> {
  const startedAt = performance.now();
  const running = promisify(execFile)(file, args, { cwd, env, timeout: TIMEOUT_MS });
  running.child.stdin?.end();
  try {
    const { stdout } = await running;
    const millis = performance.now() - startedAt;
    if (stdout.trim() !== "Hi.") throw new Error(`Error: ${file} answered ${JSON.stringify(stdout)}.`);
    return millis;
  } catch (error) {
    throw new Error(`Error: ${file} failed: ${nameProblem(error)}`, { cause: error });
  }
}

function known(spread: Spread | undefined): Spread {
  if (spread === undefined) throw new Error("Error: nothing was measured.");
  return spread;
}
