import { UsageError } from "./usage-error.ts";

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
/** Timers take no longer ones. */
const MAX_HOURS = 500;

/** Parses a duration such as `30s`, `10m` or `2h`, in milliseconds. @throws UsageError */
export function parseDuration(option: string, text: string): number {
  const [, count = "", unit = ""] = /^(\d+)([smh])$/.exec(text.trim()) ?? [];
  const durationMs = Number(count) * (UNITS[unit] ?? 0);
  if (durationMs > 0 && durationMs <= MAX_HOURS * 3_600_000) return durationMs;
  throw new UsageError(`${option} takes a duration such as 30s, 10m or 2h, at most ${MAX_HOURS}h, and not "${text}".`);
}
