import { readFile, rm } from "node:fs/promises";
import { cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundleEngines } from "./bundle.ts";
import { formatReport, type MachineFacts } from "./format-report.ts";
import { installPeers, OWN_NODE } from "./install.ts";
import { type CaseResult, runMeasurement } from "./run-measurement.ts";
import { findRuntimes, type Runtime } from "./runtimes.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import { summarize } from "./summary.ts";

const USAGE = `Measures Atomic's engine beside a hand-written loop and LangGraph.js.

npm run bench -- [options]
  --repetitions N   measure every case so often, each time in a new process (default 5)
  --scenario ID     only this one: ${SCENARIOS.map(({ id }) => id).join(", ")}
  --runtime NAME    only runtimes whose name begins so, for example bun or "node 26"
  --json            print everything as JSON`;

const BENCH_FOLDER = join(import.meta.dirname, "..");

const { values } = parseArgs({
  options: {
    repetitions: { type: "string", default: "5" },
    scenario: { type: "string" },
    runtime: { type: "string", default: "" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(USAGE);
else await runBenchmarks();

async function runBenchmarks(): Promise<void> {
  const repetitions = Number(values.repetitions);
  if (!Number.isInteger(repetitions) || repetitions < 1) return refuse("--repetitions must be 1 or more.");
  const scenarios = SCENARIOS.filter(({ id }) => values.scenario === undefined || id === values.scenario);
  if (scenarios.length === 0) return refuse(`There is no scenario "${values.scenario}".`);
  await installPeers(BENCH_FOLDER, (line) => console.error(line));
  const found = await findRuntimes(join(BENCH_FOLDER, OWN_NODE));
  const runtimes = found.filter(({ name }) => name.toLowerCase().startsWith(values.runtime.toLowerCase()));
  if (runtimes.length === 0) {
    return refuse(`No runtime is named "${values.runtime}". There are: ${found.map(({ name }) => name).join(", ")}.`);
  }
  const plan = planResults(scenarios, runtimes);
  await measureAll(plan.results, repetitions);
  const results = [...plan.results.keys()];
  const report = { machine: await readMachineFacts(runtimes), rows: summarize(results), skipped: plan.skipped };
  if (values.json) console.log(JSON.stringify({ ...report, results }, undefined, 2));
  else console.log(formatReport(report, scenarios));
  if (results.some(({ problem }) => problem !== undefined)) process.exitCode = 1;
}

/** Says what is wrong with the command line. */
function refuse(message: string): void {
  console.error(`${message}\n\n${USAGE}`);
  process.exitCode = 2;
}

/**
 * Measures each case once before any is measured again, in turns forwards and backwards: a machine that is busy for a
 * while, or grows slower, then harms all engines alike.
 */
async function measureAll(results: ReadonlyMap<CaseResult, Runtime>, repetitions: number): Promise<void> {
  const bundle = await bundleEngines(BENCH_FOLDER);
  try {
    for (let repetition = 1; repetition <= repetitions; repetition++) {
      console.error(`Repetition ${repetition} of ${repetitions}: ${results.size} measurements of about 1.5 s …`);
      const order = [...results];
      if (repetition % 2 === 0) order.reverse();
      for (const [result, runtime] of order) await runMeasurement(result, runtime, bundle);
    }
  } finally {
    await rm(bundle.folder, { recursive: true, force: true });
  }
}

/** An empty result for everything that can be measured, in the order of the table, and what cannot. */
function planResults(
  scenarios: readonly Scenario[],
  runtimes: readonly Runtime[],
): { readonly results: ReadonlyMap<CaseResult, Runtime>; readonly skipped: readonly string[] } {
  const results = new Map<CaseResult, Runtime>();
  const skipped: string[] = [];
  for (const { id, title, cases } of scenarios) {
    for (const runtime of runtimes) {
      if (!runtime.hasSqlite && cases.some(({ keeping }) => keeping.type === "sqlite")) {
        skipped.push(`${title}: not measured, node:sqlite needs Node 22 or later (${runtime.name})`);
        continue;
      }
      for (const benchCase of cases) {
        results.set(
          { scenarioId: id, benchCase, runtime: runtime.name, measurements: [], problem: undefined },
          runtime,
        );
      }
    }
  }
  return { results, skipped };
}

async function readMachineFacts(runtimes: readonly Runtime[]): Promise<MachineFacts> {
  const processors = cpus();
  const peers = ["@langchain/langgraph", "@langchain/langgraph-checkpoint-sqlite"];
  return {
    processor: processors[0]?.model.trim() ?? "unknown processor",
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    runtimes: runtimes.map(({ name }) => name),
    packages: await Promise.all([
      readPackageName(join(BENCH_FOLDER, "..")),
      ...peers.map((name) => readPackageName(join(BENCH_FOLDER, "node_modules", name))),
    ]),
  };
}

async function readPackageName(folder: string): Promise<string> {
  // The cast is true: npm writes both into every package.
  const facts = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { name: string; version: string };
  return `${facts.name} ${facts.version}`;
}
