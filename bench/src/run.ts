import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundleEngines } from "./bundle.ts";
import { checkGoals } from "./check-goals.ts";
import { formatMarkdown } from "./format-markdown.ts";
import { formatReport } from "./format-report.ts";
import { GOALS } from "./goals.ts";
import { installPeers, OWN_NODE } from "./install.ts";
import { readMachineFacts } from "./machine-facts.ts";
import { planResults } from "./plan-results.ts";
import { type CaseResult, runMeasurement } from "./run-measurement.ts";
import { findRuntimes, type Runtime } from "./runtimes.ts";
import { ENGINES, SCENARIOS } from "./scenarios.ts";
import { type SummaryRow, summarize } from "./summary.ts";

const USAGE = `Measures Atomic's engine beside a hand-written loop, LangGraph.js, Mastra and XState.

npm run bench -- [options]
  --repetitions N   measurements of each case, each in a new process (default 5)
  --scenario ID     only this one; can be given more than once: ${SCENARIOS.map(({ id }) => id).join(", ")}
  --engine NAME     only this engine; can be given more than once: ${ENGINES.join(", ")}
  --runtime NAME    only runtimes whose name begins so, for example bun or "node 26"
  --json FILE       also write everything that was measured to a file
  --markdown FILE   also write the tables of docs/performance.md to a file`;

/** The packages whose versions a report names. */
const PEERS = [
  "@langchain/langgraph",
  "@langchain/langgraph-checkpoint-sqlite",
  "@mastra/core",
  "@mastra/libsql",
  "xstate",
];

const BENCH_FOLDER = join(import.meta.dirname, "..");

const { values } = parseArgs({
  options: {
    repetitions: { type: "string", default: "5" },
    scenario: { type: "string", multiple: true, default: [] },
    engine: { type: "string", multiple: true, default: [] },
    runtime: { type: "string", default: "" },
    json: { type: "string" },
    markdown: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(USAGE);
else await runBenchmarks();

async function runBenchmarks(): Promise<void> {
  const repetitions = Number(values.repetitions);
  if (!Number.isInteger(repetitions) || repetitions < 1) return refuse("--repetitions must be 1 or more.");
  const unknown = values.scenario.find((id) => !SCENARIOS.some((scenario) => scenario.id === id));
  if (unknown !== undefined) return refuse(`There is no scenario "${unknown}".`);
  const stranger = values.engine.find((name) => !ENGINES.some((engine) => engine === name));
  if (stranger !== undefined) return refuse(`There is no engine "${stranger}".`);
  const scenarios = SCENARIOS.filter(({ id }) => values.scenario.length === 0 || values.scenario.includes(id)).map(
    (scenario) => ({
      ...scenario,
      cases: scenario.cases.filter(({ engine }) => values.engine.length === 0 || values.engine.includes(engine)),
    }),
  );
  if (scenarios.every(({ cases }) => cases.length === 0)) return refuse("No scenario has such an engine.");
  await installPeers(BENCH_FOLDER, (line) => console.error(line));
  const found = await findRuntimes(join(BENCH_FOLDER, OWN_NODE));
  const runtimes = found.filter(({ name }) => name.toLowerCase().startsWith(values.runtime.toLowerCase()));
  if (runtimes.length === 0) {
    return refuse(`No runtime is named "${values.runtime}". There are: ${found.map(({ name }) => name).join(", ")}.`);
  }
  const plan = planResults(scenarios, runtimes);
  await measureAll(plan.results, repetitions);
  const results = [...plan.results.keys()];
  const rows = summarize(results);
  const folders = [join(BENCH_FOLDER, ".."), ...PEERS.map((name) => join(BENCH_FOLDER, "node_modules", name))];
  const machine = await readMachineFacts(
    folders,
    runtimes.map(({ name }) => name),
  );
  const isOld = (row: SummaryRow): boolean =>
    runtimes.some(({ name, isCurrent }) => name === row.runtime && !isCurrent);
  const goals = checkGoals(
    GOALS,
    rows.filter((row) => !isOld(row)),
  );
  const report = { machine, rows, goals, skipped: plan.skipped };
  console.log(formatReport(report, scenarios));
  if (values.json !== undefined)
    await writeFile(values.json, `${JSON.stringify({ ...report, results }, undefined, 2)}\n`);
  if (values.markdown !== undefined) await writeFile(values.markdown, formatMarkdown(report, scenarios));
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
      console.error(`Repetition ${repetition} of ${repetitions}: ${results.size} measurements …`);
      const order = [...results];
      if (repetition % 2 === 0) order.reverse();
      for (const [result, runtime] of order) await runMeasurement(result, runtime, bundle);
    }
  } finally {
    await rm(bundle.folder, { recursive: true, force: true });
  }
}
