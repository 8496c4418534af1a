import type { NODE_BODIES } from "./workload.ts";

/** An engine that is measured; also the name of its file. */
export type EngineName = "atomic" | "langgraph" | "loop";

/** Where a run leaves its steps. Without a durability the engine's own default is used. */
export type Keeping =
  | { readonly type: "nowhere" }
  | { readonly type: "memory" }
  | { readonly type: "sqlite"; readonly durability?: "every-step" | "on-checkpoint" };

/** One engine doing one thing: what a process measures. */
export interface BenchCase {
  readonly id: string;
  readonly engine: EngineName;
  /** Shown in the table. */
  readonly label: string;
  readonly body: keyof typeof NODE_BODIES;
  readonly keeping: Keeping;
}

/** Cases that are compared with each other. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly cases: readonly BenchCase[];
}

const ENGINE_LABELS: { readonly [Name in EngineName]: string } = {
  loop: "hand-written loop",
  atomic: "Atomic",
  langgraph: "LangGraph.js",
};

/** Everything that is measured, in the order of the table. */
export const SCENARIOS: readonly Scenario[] = [
  scenario("chain", "100 nodes, no saver", { body: "plain", keeping: { type: "nowhere" } }),
  scenario("chain-async", "100 async nodes, no saver", { body: "async", keeping: { type: "nowhere" } }),
  scenario("memory", "100 nodes, in-memory saver", { body: "plain", keeping: { type: "memory" } }),
  {
    id: "sqlite",
    title: "100 nodes, SQLite saver",
    cases: [
      sqliteCase("loop", "on-checkpoint"),
      sqliteCase("atomic", "on-checkpoint"),
      sqliteCase("loop", "every-step"),
      sqliteCase("atomic", "every-step"),
      sqliteCase("langgraph"),
    ],
  },
];

/** The case with the given id. */
export function findCase(id: string): BenchCase {
  const found = SCENARIOS.flatMap(({ cases }) => cases).find((item) => item.id === id);
  if (found === undefined) throw new Error(`There is no case "${id}".`);
  return found;
}

function scenario(id: string, title: string, work: Pick<BenchCase, "body" | "keeping">): Scenario {
  const engines = ["loop", "atomic", "langgraph"] as const;
  const cases = engines.map((engine) => ({ id: `${id}/${engine}`, engine, label: ENGINE_LABELS[engine], ...work }));
  return { id, title, cases };
}

function sqliteCase(engine: EngineName, durability?: "every-step" | "on-checkpoint"): BenchCase {
  const label = ENGINE_LABELS[engine];
  if (durability === undefined) {
    return { id: `sqlite/${engine}`, engine, label, body: "plain", keeping: { type: "sqlite" } };
  }
  const keeping = { type: "sqlite", durability } as const;
  // The loop's two cases are named after the pragma that the durability of Atomic stands for.
  const name = engine === "loop" ? (durability === "every-step" ? "FULL" : "NORMAL") : durability;
  return { id: `sqlite/${engine}-${durability}`, engine, label: `${label}, ${name}`, body: "plain", keeping };
}
