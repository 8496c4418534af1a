const KIB = 1024;
const MIB = 1024 * 1024;

/** How a measured value is shown. */
interface MetricFormat {
  readonly heading: string;
  /** The shown number is the value over this. */
  readonly divisor: number;
}

/** Everything that is measured, in the unit of its name. */
export const METRICS = {
  cpuMicros: { heading: "CPU µs/step", divisor: 1 },
  wallMicros: { heading: "wall µs/step", divisor: 1 },
  diskBytes: { heading: "disk KB/run", divisor: KIB },
  heapBytes: { heading: "heap KB/run", divisor: KIB },
  rssBytesAt10k: { heading: "RSS MB at 10,000", divisor: MIB },
  rssBytesAt50k: { heading: "RSS MB at 50,000", divisor: MIB },
  rssBytesAt100k: { heading: "RSS MB at 100,000", divisor: MIB },
  rssBytesAt200k: { heading: "RSS MB at 200,000", divisor: MIB },
  heapGrowthBytes: { heading: "heap bytes/step", divisor: 1 },
  startWallMillis: { heading: "wall ms", divisor: 1 },
  startCpuMillis: { heading: "CPU ms", divisor: 1 },
} as const satisfies Readonly<Record<string, MetricFormat>>;

/** The name of something that is measured. */
export type MetricName = keyof typeof METRICS;

/** Measured values by name. */
export type MetricValues = { readonly [Name in MetricName]?: number };

/** Three digits that count, and no more. */
export function formatNumber(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
