import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { readMachineFacts } from "../machine-facts.ts";
import { nameProblem } from "../run-measurement.ts";
import { AGENTS, VARIANTS } from "./agent-driver.ts";
import type { AgentMeasurement } from "./agent-measurement.ts";
import { compareVariants, type VariantResult } from "./compare-variants.ts";
import { formatAgentMarkdown, formatAgentReport } from "./format-agents.ts";
import { type CommandComparison, type MeasureCommandsOptions, measureCommands } from "./measure-commands.ts";
import { startProgram } from "./start-program.ts";

const USAGE = `Measures what Atomic's clients add to the SDKs of the agents, with a scripted model on 127.0.0.1.

npm run bench:agents -- [options]
  --repetitions N   measurements of each variant, each in a new process (default 3)
  --part NAME       turns: what a turn costs; commands: what a whole command costs (default both)
  --agent NAME      only this one; can be given more than once: ${AGENTS.join(", ")}
  --json FILE       also write everything that was measured to a file
  --markdown FILE   also write the table of docs/performance.md to a file`;

const PACKAGES = ["@anthropic-ai/claude-agent-sdk", "opencode-ai", "@opencode-ai/sdk", "@github/copilot-sdk"];

const REPOSITORY = join(import.meta.dirname, "../../..");
const TIMEOUT_MS = 180_000;
const run = promisify(execFile);

const { values } = parseArgs({
  options: {
    repetitions: { type: "string", default: "3" },
    part: { type: "string" },
    agent: { type: "string", multiple: true, default: [] },
    json: { type: "string" },
    markdown: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(USAGE);
else await runBenchmark();

async function runBenchmark(): Promise<void> {
  const repetitions = Number(values.repetitions);
  if (!Number.isInteger(repetitions) || repetitions < 1) return refuse("--repetitions must be 1 or more.");
  const stranger = values.agent.find((name) => !AGENTS.some((agent) => agent === name));
  if (stranger !== undefined) return refuse(`There is no agent "${stranger}".`);
  const { part } = values;
  if (part !== undefined && part !== "turns" && part !== "commands") return refuse(`There is no part "${part}".`);
  const agents = AGENTS.filter((agent) => values.agent.length === 0 || values.agent.includes(agent));
  const results = (part === "commands" ? [] : agents).flatMap((agent) =>
    VARIANTS.map((variant): VariantResult => ({ agent, variant, measurements: [], problem: undefined })),
  );
  const commandProblems: string[] = [];
  const commands: CommandComparison[] = [];
  const server = await startProgram(join(import.meta.dirname, "serve-model.ts"));
  try {
    await measureAll(results, { repetitions, modelUrl: server.address });
    for (const agent of part === "turns" ? [] : agents) {
      console.error(`Whole commands of ${agent} …`);
      await measureCommands(agent, { modelUrl: server.address, repetitions }).then(
        (comparisons) => commands.push(...comparisons),
        (error: unknown) => commandProblems.push(`${agent}, whole commands, failed: ${nameProblem(error)}`),
      );
    }
  } finally {
    await server.stop();
  }
  const comparisons = compareVariants(results);
  const folders = PACKAGES.map((name) => join(REPOSITORY, "node_modules", name));
  const machine = await readMachineFacts([REPOSITORY, ...folders], [`Bun ${Bun.version}`]);
  const problems = [
    ...results.flatMap(({ agent, variant, problem }) =>
      problem === undefined ? [] : [`${agent}, ${variant}, failed: ${problem}`],
    ),
    ...commandProblems,
  ];
  console.log(formatAgentReport({ machine, comparisons, commands, problems }));
  if (values.json !== undefined) {
    await writeFile(values.json, `${JSON.stringify({ machine, comparisons, commands, results }, undefined, 2)}\n`);
  }
  if (values.markdown !== undefined) await writeFile(values.markdown, formatAgentMarkdown({ comparisons, commands }));
  if (problems.length > 0) process.exitCode = 1;
}

/** Says what is wrong with the command line. */
function refuse(message: string): void {
  console.error(`${message}\n\n${USAGE}`);
  process.exitCode = 2;
}

/** In turns forwards and backwards: a machine that is busy for a while then harms both variants alike. */
async function measureAll(
  results: readonly VariantResult[],
  { repetitions, modelUrl }: MeasureCommandsOptions,
): Promise<void> {
  for (let repetition = 1; results.length > 0 && repetition <= repetitions; repetition++) {
    console.error(`Repetition ${repetition} of ${repetitions}: ${results.length} measurements …`);
    const order = repetition % 2 === 0 ? results.toReversed() : results;
    for (const result of order) await measure(result, modelUrl);
  }
}

/** Measures a variant once, in a process and in folders of its own, and notes the outcome in its result. */
async function measure(result: VariantResult, modelUrl: string): Promise<void> {
  const { agent, variant, measurements } = result;
  const folder = await mkdtemp(join(tmpdir(), "atomic-bench-"));
  try {
    const program = join(import.meta.dirname, "measure-agent.ts");
    const { stdout } = await run(process.execPath, [program, agent, variant, modelUrl, folder], {
      env: { PATH: process.env.PATH, NODE_ENV: "production" },
      timeout: TIMEOUT_MS,
      killSignal: "SIGKILL",
    });
    // The cast is true: measure-agent.ts prints a measurement as its last line.
    measurements.push(JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as AgentMeasurement);
  } catch (error) {
    result.problem = nameProblem(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
