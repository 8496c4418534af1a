import type { MetricName } from "./metrics.ts";
import {
  asyncCounterSteps,
  conversationSteps,
  counterSteps,
  endlessStep,
  largeStateSteps,
  question,
  type Work,
} from "./workload.ts";

/** An engine that is measured; also the name of its file. */
export type EngineName = "loop" | "atomic" | "langgraph" | "mastra" | "xstate";

/** Where a run leaves its steps. Without a durability the engine's own default is used. */
export type Keeping =
  | { readonly type: "nowhere" }
  | { readonly type: "memory" }
  | { readonly type: "sqlite"; readonly durability?: "every-step" | "on-checkpoint" };

/**
 * How a case is measured: by running it for a while, by running it once, by the heap of runs in progress, by the memory
 * of the process during one long run, or by starting a program.
 */
export type Method = "repeat" | "once" | "heap" | "memory" | "start";

/** One engine doing one thing. */
export interface BenchCase {
  readonly id: string;
  readonly engine: EngineName;
  /** Shown in the table. */
  readonly label: string;
  readonly method: Method;
  readonly work: Work;
  readonly keeping: Keeping;
}

/** Cases that are compared with each other. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** What the table shows; the first one is what engines are compared by. */
  readonly metrics: readonly MetricName[];
  /** `current`: Bun and a current Node. `all`: also the Node that the user has. */
  readonly runtimes: "current" | "all";
  readonly cases: readonly BenchCase[];
}

const ENGINE_LABELS: { readonly [Name in EngineName]: string } = {
  loop: "hand-written loop",
  atomic: "Atomic",
  langgraph: "LangGraph.js",
  mastra: "Mastra",
  xstate: "XState",
};

/** All of them, in the order of the table. */
export const ENGINES: readonly EngineName[] = ["loop", "atomic", "langgraph", "mastra", "xstate"];

/** XState has no saver. */
const DURABLE_PEERS: readonly EngineName[] = ["langgraph", "mastra"];

/** XState needs half a minute for 1,000 static branches. */
const XSTATE_MAX_STATIC_BRANCHES = 300;

const CPU: readonly MetricName[] = ["cpuMicros", "wallMicros"];

const NOWHERE: Keeping = { type: "nowhere" };
const MEMORY: Keeping = { type: "memory" };

/** Everything that is measured, in the order of the table. */
export const SCENARIOS: readonly Scenario[] = [
  scenario("chain", "A chain of 100 nodes", { work: counterSteps("chain", 100), runtimes: "all" }),
  scenario("chain-async", "A chain of 100 async nodes", { work: asyncCounterSteps("chain", 100), runtimes: "all" }),
  scenario("memory", "A chain of 100 nodes, saver in memory", {
    work: counterSteps("chain", 100),
    keeping: MEMORY,
    engines: ["loop", "atomic", ...DURABLE_PEERS],
    runtimes: "all",
  }),
  scenario("loop", "A loop of 10,000 iterations", { work: counterSteps("loop", 10_000), runtimes: "all" }),
  ...[100, 300, 1_000].map((count) => fanOut("dynamic", count)),
  ...[100, 300, 1_000].map((count) => fanOut("static", count)),
  durable("sqlite", "A chain of 100 nodes, saver on SQLite", {
    work: counterSteps("chain", 100),
    metrics: ["cpuMicros", "wallMicros", "diskBytes"],
  }),
  durable("large-state", "A loop of 1,000 iterations, 1 MB of state of which 1 KB changes, saver on SQLite", {
    work: largeStateSteps(1_000),
    method: "once",
    metrics: ["cpuMicros", "wallMicros", "diskBytes"],
  }),
  durable("agent-loop", "A loop of 400 iterations that each append 2 KB, saver on SQLite", {
    work: conversationSteps(400),
    method: "once",
    metrics: ["diskBytes", "cpuMicros", "wallMicros"],
  }),
  scenario("asking", "A run that waits for a person, 1,000 of them, saver in memory", {
    work: question(),
    method: "heap",
    keeping: MEMORY,
    metrics: ["heapBytes"],
  }),
  scenario("running", "A run whose node waits for something, 1,000 of them", {
    work: endlessStep(),
    method: "heap",
    metrics: ["heapBytes"],
  }),
  durable("long-run", "A loop of 200,000 iterations, saver on SQLite", {
    work: counterSteps("loop", 200_000),
    method: "memory",
    metrics: [
      "heapGrowthBytes",
      "rssBytesAt10k",
      "rssBytesAt50k",
      "rssBytesAt100k",
      "rssBytesAt200k",
      "cpuMicros",
      "wallMicros",
      "diskBytes",
    ],
    peers: [],
  }),
  scenario("start", "Start of a process that imports the engine and runs one node", {
    work: counterSteps("chain", 1),
    method: "start",
    metrics: ["startWallMillis", "startCpuMillis"],
  }),
];

/** The case with the given id. */
export function findCase(id: string): BenchCase {
  const found = SCENARIOS.flatMap(({ cases }) => cases).find((item) => item.id === id);
  if (found === undefined) throw new Error(`There is no case "${id}".`);
  return found;
}

interface ScenarioOptions extends Partial<Pick<Scenario, "metrics" | "runtimes">> {
  readonly work: Work;
  readonly method?: Method;
  readonly keeping?: Keeping;
  readonly engines?: readonly EngineName[];
}

function scenario(id: string, title: string, options: ScenarioOptions): Scenario {
  const { work, method = "repeat", keeping = NOWHERE, engines = ENGINES, metrics = CPU } = options;
  const { runtimes = "current" } = options;
  const cases = engines.map((engine) => ({
    id: `${id}/${engine}`,
    engine,
    label: ENGINE_LABELS[engine],
    method,
    work,
    keeping,
  }));
  return { id, title, metrics, runtimes, cases };
}

function fanOut(branches: "dynamic" | "static", stepCount: number): Scenario {
  const isAll = branches === "dynamic" || stepCount <= XSTATE_MAX_STATIC_BRANCHES;
  return scenario(`${branches}-${stepCount}`, `${stepCount.toLocaleString("en-US")} ${branches} branches`, {
    work: { type: "fan-out", branches, stepCount },
    engines: isAll ? ENGINES : ENGINES.filter((engine) => engine !== "xstate"),
  });
}

/** A scenario in which the loop and Atomic run with both durabilities, and the peers with the one that they have. */
function durable(
  id: string,
  title: string,
  options: Pick<ScenarioOptions, "work" | "method" | "metrics"> & { readonly peers?: readonly EngineName[] },
): Scenario {
  const { work, method = "repeat", metrics = CPU, peers = DURABLE_PEERS } = options;
  const own = (["on-checkpoint", "every-step"] as const).flatMap((durability) =>
    (["loop", "atomic"] as const).map((engine) => {
      // The loop's cases are named after the pragma that the durability of Atomic stands for.
      const pragma = durability === "every-step" ? "FULL" : "NORMAL";
      const label = `${ENGINE_LABELS[engine]}, ${engine === "loop" ? pragma : durability}`;
      const keeping = { type: "sqlite", durability } as const;
      return { id: `${id}/${engine}-${durability}`, engine, label, method, work, keeping };
    }),
  );
  const others = peers.map((engine) => {
    const keeping = { type: "sqlite" } as const;
    return { id: `${id}/${engine}`, engine, label: ENGINE_LABELS[engine], method, work, keeping };
  });
  return { id, title, metrics, runtimes: "current", cases: [...own, ...others] };
}
