// Measures one variant of one agent in this process: measure-agent.ts AGENT VARIANT MODEL_URL FOLDER
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentDriver, AgentName, AgentSetup } from "./agent-driver.ts";
import type { AgentMeasurement, TurnMeasurement } from "./agent-measurement.ts";
import { countWords } from "./answer-with-words.ts";
import { readDescendantsCpu } from "./descendants-cpu.ts";

const TURN_COUNT = 5;
const WORD_COUNT = 2_000;
const CALL_COUNT = 20;

/** A pause after each turn, in milliseconds: an agent's writes after a turn must not affect the next one. */
const PAUSE_MS = 200;

// The one that started this process is gone: nobody reads what is measured.
process.stdin.on("end", () => process.exit(1)).resume();
const [agent = "", variant = "", modelUrl = "", folder = ""] = process.argv.slice(2);
const driver = await startDriver({
  modelUrl,
  homeFolder: join(folder, "home"),
  workFolder: join(folder, "work"),
  searchPath: process.env.PATH ?? "",
});
const measurement = await measureDriver(driver).finally(() => driver.stop());
console.log(JSON.stringify(measurement));
process.exit(0);

async function startDriver(setup: AgentSetup): Promise<AgentDriver> {
  await mkdir(setup.homeFolder, { recursive: true });
  await mkdir(setup.workFolder, { recursive: true });
  // Only what is measured is loaded, for the sake of the memory that it takes.
  switch (`${variant} ${agent}`) {
    case "direct claude":
      return (await import("./direct-claude.ts")).startDirectClaude(setup);
    case "direct opencode":
      return (await import("./direct-opencode.ts")).startDirectOpenCode(setup);
    case "direct copilot":
      return (await import("./direct-copilot.ts")).startDirectCopilot(setup);
    case "atomic claude":
    case "atomic opencode":
    case "atomic copilot":
      // The cast is true: the case says so.
      return (await import("./atomic-driver.ts")).startAtomicDriver(agent as AgentName, setup);
    default:
      throw new Error(`Error: there is no variant "${variant}" of an agent "${agent}".`);
  }
}

async function measureDriver(started: AgentDriver): Promise<AgentMeasurement> {
  const long = { message: `Write ${WORD_COUNT} words.`, deltaCount: WORD_COUNT };
  const short = { message: "Say hi.", deltaCount: 1 };
  const file = join(folder, "work", "README.md");
  await writeFile(file, "A project.\n");
  const calling = { message: `Read ${file} ${CALL_COUNT} times.`, deltaCount: 1 };
  await measureTurn(started, short);
  await measureTurn(started, long);
  const shortTurns: TurnMeasurement[] = [];
  for (let count = 0; count < TURN_COUNT; count++) shortTurns.push(await measureTurn(started, short));
  const longTurns: TurnMeasurement[] = [];
  for (let count = 0; count < TURN_COUNT; count++) longTurns.push(await measureTurn(started, long));
  const toolCallMillis: number[] = [];
  for (let count = 0; count < TURN_COUNT; count++) {
    const without = await measureTurn(started, short);
    const { wallMillis } = await measureTurn(started, calling);
    toolCallMillis.push((wallMillis - without.wallMillis) / CALL_COUNT);
  }
  return { shortTurns, longTurns, toolCallMillis, peakRssMib: process.resourceUsage().maxRSS / 1024 };
}

async function measureTurn(
  started: AgentDriver,
  { message, deltaCount }: { readonly message: string; readonly deltaCount: number },
): Promise<TurnMeasurement> {
  await sleep(PAUSE_MS);
  const times = { first: Number.NaN, last: Number.NaN };
  let count = 0;
  let text = "";
  const agentCpuBefore = await readDescendantsCpu(process.pid);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await started.send(message, (piece) => {
    const now = performance.now();
    if (count === 0) times.first = now;
    times.last = now;
    count += 1;
    text += piece;
  });
  const endedAt = performance.now();
  const { user, system } = process.cpuUsage(cpuBefore);
  const agentCpuMillis = (await readDescendantsCpu(process.pid)) - agentCpuBefore;
  const wordCount = countWords(text);
  if (wordCount !== deltaCount) throw new Error(`Error: the answer has ${wordCount} words instead of ${deltaCount}.`);
  return {
    firstDeltaMillis: times.first - startedAt,
    perDeltaMicros: (1000 * (times.last - times.first)) / Math.max(1, count - 1),
    deltaCount: count,
    wallMillis: endedAt - startedAt,
    cpuMillis: (user + system) / 1000,
    agentCpuMillis,
  };
}
