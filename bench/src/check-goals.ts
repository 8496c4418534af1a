import type { Goal } from "./goals.ts";
import type { MetricName } from "./metrics.ts";
import type { SummaryRow } from "./summary.ts";

/** Whether a goal was reached on one runtime. */
export interface GoalOutcome {
  readonly goal: Goal;
  readonly runtime: string;
  readonly value: number;
  readonly isReached: boolean;
}

/** Compares the medians with each goal whose values were measured. */
export function checkGoals(goals: readonly Goal[], rows: readonly SummaryRow[]): readonly GoalOutcome[] {
  const runtimes = [...new Set(rows.map(({ runtime }) => runtime))];
  return goals.flatMap((goal) =>
    runtimes
      .filter((runtime) => runtime.startsWith(goal.runtime ?? ""))
      .flatMap((runtime) => {
        const value = measuredValue(
          goal,
          rows.filter((row) => row.runtime === runtime),
        );
        if (value === undefined) return [];
        const { limit } = goal;
        const isReached = limit.type === "at-most" ? value <= limit.value : value >= limit.value;
        return [{ goal, runtime, value, isReached }];
      }),
  );
}

function measuredValue({ subject, metric }: Goal, rows: readonly SummaryRow[]): number | undefined {
  const read = (caseId: string, name: MetricName): number | undefined =>
    rows.find((row) => row.caseId === caseId)?.metrics[name]?.median;
  const value = read(subject.caseId, metric);
  if (value === undefined || subject.type === "value") return value;
  const other = subject.type === "growth" ? read(subject.caseId, subject.from) : read(subject.of, metric);
  if (other === undefined) return undefined;
  return subject.type === "above" ? value - other : value / other;
}
