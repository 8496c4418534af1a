import type { MetricName } from "./metrics.ts";

/** What is compared with a limit, of the cases that the ids name. */
export type GoalSubject =
  /** A value itself. */
  | { readonly type: "value"; readonly caseId: string }
  /** How many times the value of another case. */
  | { readonly type: "times"; readonly caseId: string; readonly of: string }
  /** By how much it is more than the value of another case. */
  | { readonly type: "above"; readonly caseId: string; readonly of: string }
  /** How many times another value of the same case. */
  | { readonly type: "growth"; readonly caseId: string; readonly from: MetricName };

/** Something that Atomic promises. */
export interface Goal {
  readonly title: string;
  readonly subject: GoalSubject;
  readonly metric: MetricName;
  readonly limit: { readonly type: "at-most" | "at-least"; readonly value: number };
  /** What the numbers are in, for people. */
  readonly unit: string;
  /** The runtimes that it is promised on, by the beginning of the name. @default Bun and a current Node */
  readonly runtime?: "Node" | "Bun";
}

const KIB = 1024;

/** Too short for a person to notice. */
const UNNOTICED_MILLIS = 100;
/** Maximum ratio of a branch's cost among 1,000 to its cost among 100: linear, with a margin for noise. */
const LINEAR_RATIO = 1.5;
/** Maximum ratio of a process's memory after 100,000 steps to that after 10,000: flat, with a margin for noise. */
const FLAT_RATIO = 1.2;
/** Maximum growth of the collected heap per step, in bytes: a step leaves nothing, with a margin for noise. */
const FLAT_HEAP_BYTES = 4;

/** The scenarios for the bare cost of a step, and their names for people. */
const STEPS = [
  ["chain", "a chain"],
  ["loop", "a loop"],
  ["dynamic-1000", "1,000 dynamic branches"],
  ["static-1000", "1,000 static branches"],
] as const;

/** All that Atomic promises, in the order of the table. */
export const GOALS: readonly Goal[] = [
  ...STEPS.map(([id, name]) => cpuAtMost(`CPU per step in ${name}`, `${id}/atomic`, 5)),
  ...STEPS.flatMap(([id, name]) => [
    cpuTimes(`CPU of LangGraph.js in ${name}`, `${id}/atomic`, { peer: `${id}/langgraph`, atLeast: 40 }),
    cpuTimes(`CPU of Mastra in ${name}`, `${id}/atomic`, { peer: `${id}/mastra`, atLeast: 4 }),
  ]),
  ...["dynamic", "static"].map(
    (branches): Goal => ({
      title: `CPU per branch, 1,000 ${branches} ones over 100`,
      subject: { type: "times", caseId: `${branches}-1000/atomic`, of: `${branches}-100/atomic` },
      metric: "cpuMicros",
      limit: { type: "at-most", value: LINEAR_RATIO },
      unit: "×",
    }),
  ),
  cpuAtMost("CPU per durable step, on-checkpoint", "sqlite/atomic-on-checkpoint", 60),
  cpuAtMost("CPU per durable step, every-step", "sqlite/atomic-every-step", 80),
  ...(["cpuMicros", "diskBytes"] as const).map(
    (metric): Goal => ({
      title: `${metric === "cpuMicros" ? "CPU" : "disk"} of LangGraph.js with 1 MB of state`,
      subject: { type: "times", caseId: "large-state/langgraph", of: "large-state/atomic-on-checkpoint" },
      metric,
      limit: { type: "at-least", value: 50 },
      unit: "×",
    }),
  ),
  {
    title: "disk of an agent's loop of 400 steps",
    subject: { type: "value", caseId: "agent-loop/atomic-every-step" },
    metric: "diskBytes",
    limit: { type: "at-most", value: 2.5 * KIB * KIB },
    unit: "bytes",
  },
  ...["asking", "running"].map(
    (id): Goal => ({
      title: `heap of a waiting run (${id})`,
      subject: { type: "value", caseId: `${id}/atomic` },
      metric: "heapBytes",
      limit: { type: "at-most", value: 8 * KIB },
      unit: "bytes",
    }),
  ),
  ...["on-checkpoint", "every-step"].map(
    (durability): Goal => ({
      title: `memory after 100,000 steps over 10,000, ${durability}`,
      subject: { type: "growth", caseId: `long-run/atomic-${durability}`, from: "rssBytesAt10k" },
      metric: "rssBytesAt100k",
      limit: { type: "at-most", value: FLAT_RATIO },
      unit: "×",
    }),
  ),
  ...["on-checkpoint", "every-step"].map(
    (durability): Goal => ({
      title: `heap that a step leaves, from 100,000 to 200,000, ${durability}`,
      subject: { type: "value", caseId: `long-run/atomic-${durability}` },
      metric: "heapGrowthBytes",
      limit: { type: "at-most", value: FLAT_HEAP_BYTES },
      unit: "bytes",
    }),
  ),
  {
    title: "start, over an empty process",
    subject: { type: "above", caseId: "start/atomic", of: "start/loop" },
    metric: "startWallMillis",
    limit: { type: "at-most", value: UNNOTICED_MILLIS },
    unit: "ms",
    runtime: "Node",
  },
];

function cpuAtMost(title: string, caseId: string, value: number): Goal {
  const limit = { type: "at-most", value } as const;
  return { title, subject: { type: "value", caseId }, metric: "cpuMicros", limit, unit: "µs" };
}

function cpuTimes(title: string, caseId: string, against: { readonly peer: string; readonly atLeast: number }): Goal {
  const limit = { type: "at-least", value: against.atLeast } as const;
  return { title, subject: { type: "times", caseId: against.peer, of: caseId }, metric: "cpuMicros", limit, unit: "×" };
}
