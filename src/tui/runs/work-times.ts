/** From when to when an attempt of a step worked, in milliseconds since 1970. */
export interface WorkPeriod {
  readonly startedAt: number;
  readonly endedAt: number;
}

/** When a step worked. */
export interface WorkTimes {
  /** The attempts that have ended, oldest first. */
  readonly worked: readonly WorkPeriod[];
  /** When the attempt in progress started. Absent while none is: between two attempts, and while nothing executes the run. */
  readonly workingSince?: number;
}

/** How long something has worked, as a row shows it. */
export interface WorkedTime {
  /** Of what has ended, in milliseconds. */
  readonly workedMs: number;
  /** Since when it works. Undefined while it does not. */
  readonly workingSince: number | undefined;
}

/** The same step once its attempt in progress has ended. */
export function endWork<T extends WorkTimes>(step: T, endedAt: number): T {
  const { workingSince: startedAt, ...rest } = step;
  if (startedAt === undefined) return step;
  // The cast is true: only an optional field is missing.
  return { ...rest, worked: [...step.worked, { startedAt, endedAt }] } as unknown as T;
}

/** The time of a step's latest attempt, which is also what the journal has. */
export function latestWork({ worked, workingSince }: WorkTimes): WorkedTime {
  const last = worked.at(-1);
  const isOver = workingSince === undefined && last !== undefined;
  return { workedMs: isOver ? Math.max(0, last.endedAt - last.startedAt) : 0, workingSince };
}

/** The time in which at least one of several steps worked: not the time between them in which none did. */
export function workTogether(steps: readonly WorkTimes[]): WorkedTime {
  const open = steps.flatMap(({ workingSince }) => workingSince ?? []);
  const workingSince = open.length === 0 ? undefined : Math.min(...open);
  const periods = steps.flatMap(({ worked }) => worked).toSorted((one, other) => one.startedAt - other.startedAt);
  let workedMs = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const { startedAt, endedAt } of periods) {
    const end = Math.min(endedAt, workingSince ?? endedAt);
    workedMs += Math.max(0, end - Math.max(startedAt, reached));
    reached = Math.max(reached, end);
  }
  return { workedMs, workingSince };
}

/** The time until now, in milliseconds. */
export function workedUntil({ workedMs, workingSince }: WorkedTime, now: number): number {
  return workedMs + (workingSince === undefined ? 0 : Math.max(0, now - workingSince));
}
