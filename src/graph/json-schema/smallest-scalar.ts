import type { UnknownRecord } from "../../contracts/index.ts";

/** A value of every format that JSON Schema and its makers name. */
const FORMAT_EXAMPLES: Readonly<Record<string, string>> = {
  date: "1970-01-01",
  time: "00:00:00Z",
  "date-time": "1970-01-01T00:00:00Z",
  duration: "PT0S",
  email: "a@example.com",
  "idn-email": "a@example.com",
  hostname: "example.com",
  "idn-hostname": "example.com",
  ipv4: "127.0.0.1",
  ipv6: "::1",
  cidrv4: "127.0.0.0/8",
  uri: "https://example.com/",
  url: "https://example.com/",
  "uri-reference": "/",
  iri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
  guid: "00000000-0000-4000-8000-000000000000",
};

/** Texts that many patterns accept. */
const PATTERN_GUESSES: readonly string[] = [
  "",
  "a",
  "A",
  "0",
  "#1",
  "a1",
  "A1",
  "a-a",
  "a.a",
  "a/a",
  "A-1",
  "0.0.0",
  "v0.0.0",
  "a.ts",
];

/** Compiles a pattern of a schema. Some, written before Unicode patterns existed, only work without that mode. */
export function compilePattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return new RegExp(pattern);
  }
}

/** The shortest text at hand that fits the schema; `undefined` when none does. */
export function smallestString(schema: UnknownRecord, variant: number): string | undefined {
  const minLength = Number(schema.minLength ?? 0);
  const maxLength = Number(schema.maxLength ?? Number.POSITIVE_INFINITY);
  const pattern = typeof schema.pattern === "string" ? compilePattern(schema.pattern) : undefined;
  const plain = variant === 0 ? "a".repeat(minLength) : String(variant).padStart(minLength, "a");
  const example = typeof schema.format === "string" ? FORMAT_EXAMPLES[schema.format] : undefined;
  const guesses = [...PATTERN_GUESSES, ...Object.values(FORMAT_EXAMPLES)];
  const candidates = example !== undefined ? [example] : pattern === undefined ? [plain] : [plain, ...guesses];
  const fitting = candidates.flatMap((candidate) =>
    // A guess that is too short may fit when its last character is repeated.
    [candidate, candidate.padEnd(minLength, candidate.at(-1) ?? "a"), candidate.padEnd(minLength, "0")].filter(
      (text) => text.length >= minLength && text.length <= maxLength && (pattern?.test(text) ?? true),
    ),
  );
  return pattern === undefined ? fitting[0] : [...new Set(fitting)][variant];
}

/** The number nearest to zero that fits the schema; `undefined` when its bounds leave none. */
export function smallestNumber(
  schema: UnknownRecord,
  options: { readonly isInteger: boolean; readonly variant: number },
): number | undefined {
  const { isInteger, variant } = options;
  const minimum = Number(schema.minimum ?? Number.NEGATIVE_INFINITY);
  const maximum = Number(schema.maximum ?? Number.POSITIVE_INFINITY);
  const above = Number(schema.exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
  const below = Number(schema.exclusiveMaximum ?? Number.POSITIVE_INFINITY);
  const step = Number(schema.multipleOf ?? (isInteger ? 1 : 0));
  const lowest = Math.max(minimum, above);
  const highest = Math.min(maximum, below);
  const fits = (value: number): boolean =>
    value >= minimum && value <= maximum && value > above && value < below && (!isInteger || Number.isInteger(value));
  const nearLowest =
    step > 0 ? [Math.ceil(lowest / step) * step, (Math.floor(lowest / step) + 1) * step] : [lowest, lowest + 1];
  const nearHighest =
    step > 0 ? [Math.floor(highest / step) * step, (Math.ceil(highest / step) - 1) * step] : [highest, highest - 1];
  const candidates = [0, ...nearLowest, ...nearHighest, (lowest + highest) / 2].filter(Number.isFinite);
  const first = candidates.find(fits);
  if (first === undefined || variant === 0) return first;
  const distance = variant * (step > 0 ? step : 1);
  return [first + distance, first - distance].find(fits);
}
