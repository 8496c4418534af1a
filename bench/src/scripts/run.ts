import type { CommandResult, CompiledGraph } from "../../../src/graph/index.ts";
import { compileScript, graph, MemorySaver, scriptNode, shellNode } from "../../../src/graph/index.ts";
import { alignColumns } from "../align-columns.ts";

const STEPS = 300;
const REPETITIONS = 5;

/** A command that takes no time, so that only the engine's own work is measured. */
const shell = async (command: string): Promise<CommandResult> => ({
  ...{ command, exitCode: 0, stdout: "", stderr: "", isTruncated: false, durationMs: 0 },
});

/** The same commands, one after the other, in each form. */
const FORMS: Readonly<Record<string, CompiledGraph>> = {
  graph: chain(),
  "script in TypeScript": graph()
    .start(
      scriptNode({
        id: "script",
        run: async (api) => {
          for (let step = 0; step < STEPS; step++) await api.shell(`true ${step}`);
        },
      }),
    )
    .end()
    .compile(),
  "script in JavaScript": compileScript({
    path: "/bench.js",
    text: `for (let step = 0; step < ${STEPS}; step++) await shell("true " + step);`,
  }),
};

/** Its nodes keep no output: the calls of a script are not in the state either. */
function chain(): CompiledGraph {
  const nodeOf = (step: number) => shellNode({ id: `n${step}`, command: `true ${step}`, outputMapper: () => ({}) });
  const [first = nodeOf(0), ...others] = Array.from({ length: STEPS }, (_, step) => nodeOf(step));
  return others
    .reduce((built, node) => built.then(node), graph().start(first))
    .end()
    .compile();
}

/** Prints what a step of a script costs, in microseconds of CPU, and how many times that of a graph's node it is. */
async function main(): Promise<void> {
  const fastest = new Map<string, number>();
  // The first round warms up.
  for (let round = 0; round <= REPETITIONS; round++) {
    for (const [form, compiled] of Object.entries(FORMS)) {
      const cost = await measure(compiled);
      if (round > 0) fastest.set(form, Math.min(cost, fastest.get(form) ?? Number.POSITIVE_INFINITY));
    }
  }
  const { graph: ofGraph = Number.NaN } = Object.fromEntries(fastest);
  const rows = [...fastest].map(([form, cost]) => [form, cost.toFixed(0), (cost / ofGraph).toFixed(2)]);
  console.log(alignColumns([["a step of a", "CPU µs", "× graph"], ...rows], 1));
}

/** The CPU time of a step, kept in memory, in microseconds. @throws Error for a run that does not complete */
async function measure(compiled: CompiledGraph): Promise<number> {
  Bun.gc(true);
  const before = process.cpuUsage();
  const { status, error } = await compiled.run({}, { checkpointer: new MemorySaver(), services: { shell } });
  const { user, system } = process.cpuUsage(before);
  if (status !== "completed") throw new Error(`The run is ${status}.`, { cause: error });
  return (user + system) / STEPS;
}

await main();
