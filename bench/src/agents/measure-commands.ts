import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { nameProblem } from "../run-measurement.ts";
import { type Spread, spreadOf } from "../spread.ts";
import type { AgentName } from "./agent-driver.ts";
import { OPPONENTS, type Opponent, prepareCommand, type WholeCommand } from "./whole-command.ts";

const TIMEOUT_MS = 60_000;
const COMMAND_COUNT = 5;

/** How long whole commands last from their start to their end, in milliseconds. */
export interface CommandComparison {
  readonly agent: AgentName;
  readonly opponent: Opponent;
  readonly opponentMillis: Spread;
  readonly atomicMillis: Spread;
  /** How many times as long Atomic's command lasts: the median over rounds. */
  readonly ratio: Spread;
}

/** Settings of {@link measureCommands}. */
export interface MeasureCommandsOptions {
  readonly modelUrl: string;
  /** Each is five rounds of commands, after one round that is not counted. */
  readonly repetitions: number;
}

/**
 * Asks an agent the same with `atomic -p` and with each of its opponents, in turns, each with a home of its own that has
 * been used before. @throws Error when a command fails or answers something else
 */
export async function measureCommands(
  agent: AgentName,
  { modelUrl, repetitions }: MeasureCommandsOptions,
): Promise<readonly CommandComparison[]> {
  const root = await mkdtemp(join(tmpdir(), "atomic-bench-"));
  try {
    const opponents = await Promise.all(OPPONENTS[agent].map((name) => prepare(agent, name, { root, modelUrl })));
    const atomic = await prepare(agent, "atomic", { root, modelUrl });
    const contestants = [...opponents, atomic];
    for (let round = 0; round <= repetitions * COMMAND_COUNT; round++) {
      for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
        const millis = await runOnce(contestant);
        if (round > 0) contestant.times.push(millis);
      }
    }
    return OPPONENTS[agent].map((opponent, index) => {
      const times = opponents[index]?.times ?? [];
      return {
        agent,
        opponent,
        opponentMillis: known(spreadOf(times)),
        atomicMillis: known(spreadOf(atomic.times)),
        ratio: known(spreadOf(atomic.times.map((millis, round) => millis / (times[round] ?? Number.NaN)))),
      };
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** A command, its working directory, and how long it lasted each time, in milliseconds. */
interface Contestant extends WholeCommand {
  readonly cwd: string;
  readonly times: number[];
}

async function prepare(
  agent: AgentName,
  name: Opponent | "atomic",
  { root, modelUrl }: { readonly root: string; readonly modelUrl: string },
): Promise<Contestant> {
  const folder = join(root, name.replaceAll(" ", "-"));
  const cwd = join(folder, "work");
  const setup = { modelUrl, homeFolder: join(folder, "home"), workFolder: cwd, searchPath: process.env.PATH ?? "" };
  return { ...(await prepareCommand(agent, name, setup)), cwd, times: [] };
}

async function runOnce({ command: [file = "", ...args], env, cwd }: Contestant): Promise<number> {
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
