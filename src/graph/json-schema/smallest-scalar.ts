import type { UnknownRecord } from "../../contracts/index.ts";
import { leastCommonMultiple, multiplyStep } from "./multiples.ts";

const MAILBOXES = ["a@example.com", "b@example.com"];
const HOSTS = ["example.com", "example.org"];
const ADDRESSES = HOSTS.map((host) => `https://${host}/`);
const REFERENCES = ["/", ...ADDRESSES];

/** Formats that consist of this many zeros. */
const ZEROS = {
  ulid: 26,
  xid: 20,
  ksuid: 27,
  md5_hex: 32,
  sha1_hex: 40,
  sha256_hex: 64,
  sha384_hex: 96,
  sha512_hex: 128,
};

/** Examples of the formats of JSON Schema, and of those that Zod adds. */
const FORMAT_EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  date: ["1970-01-01", "1970-01-02"],
  time: ["00:00:00Z", "00:00:01Z"],
  "date-time": ["1970-01-01T00:00:00Z", "1970-01-01T00:00:01Z", "1970-01-01T00:00Z", "1970-01-01T00:00:00.000Z"],
  duration: ["PT0S", "PT1S"],
  email: MAILBOXES,
  "idn-email": MAILBOXES,
  hostname: HOSTS,
  "idn-hostname": HOSTS,
  ipv4: ["127.0.0.1", "127.0.0.2"],
  ipv6: ["::1", "::2"],
  cidrv4: ["127.0.0.0/8"],
  cidrv6: ["::/0"],
  mac: ["00:00:00:00:00:00", "00-00-00-00-00-00"],
  uri: ADDRESSES,
  url: ADDRESSES,
  "uri-reference": REFERENCES,
  "uri-template": REFERENCES,
  iri: ADDRESSES,
  "iri-reference": REFERENCES,
  "json-pointer": ["", "/a"],
  "relative-json-pointer": ["0", "1"],
  regex: ["", "a"],
  uuid: uuidsOf(4, 6, 7, 1, 2, 3, 5, 8),
  guid: uuidsOf(4),
  nanoid: ["a".repeat(21)],
  cuid: ["c000000"],
  cuid2: ["a"],
  e164: ["+1000000"],
  emoji: ["🙂", "🙃"],
  base64: ["", "AA=="],
  base64url: ["", "AA"],
  // {"alg":"none","typ":"JWT"}, {}, and a signature of one byte.
  jwt: ["eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.e30.AA"],
  hex: ["", "00"],
  ...Object.fromEntries(Object.entries(ZEROS).map(([format, length]) => [format, ["0".repeat(length)]])),
};

/** Formats whose examples stay valid when their last character is repeated. */
const GROWING = /^(idn-)?(email|hostname)$|^(uri|iri|url)/;

function uuidsOf(...versions: readonly number[]): readonly string[] {
  return versions.map((version) => `00000000-0000-${version}000-8000-000000000000`);
}

/** Texts that match many patterns. */
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
  "00:00",
  "00:00:00",
  "00:00:00.000",
  "1970-01-01T00:00",
  "1970-01-01T00:00:00",
];

/** Compiles a schema's pattern. Some older patterns are valid only without Unicode mode. */
export function compilePattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return new RegExp(pattern);
  }
}

/** The shortest candidate that fits the schema; `undefined` when none does. */
export function smallestString(schema: UnknownRecord, variant: number): string | undefined {
  const minLength = Number(schema.minLength ?? 0);
  const maxLength = Number(schema.maxLength ?? Number.POSITIVE_INFINITY);
  const patterns = textsOf(schema.pattern).map(compilePattern);
  const fitting = candidateTexts(schema, minLength, variant).filter(
    (text) => text.length >= minLength && text.length <= maxLength && patterns.every((pattern) => pattern.test(text)),
  );
  // When variants run out, another part of the value may still differ.
  return fitting[variant % fitting.length];
}

/** Candidates: examples of the schema's formats, or else the variant's plain text and guesses at a pattern. */
function candidateTexts(schema: UnknownRecord, minLength: number, variant: number): readonly string[] {
  const [first, ...others] = textsOf(schema.format).flatMap((format) => {
    const examples = Object.hasOwn(FORMAT_EXAMPLES, format) ? FORMAT_EXAMPLES[format] : undefined;
    return examples === undefined ? [] : [examples];
  });
  if (first !== undefined) {
    const examples = first.filter((text) => others.every((texts) => texts.includes(text)));
    const mayGrow = schema.pattern !== undefined || textsOf(schema.format).every((format) => GROWING.test(format));
    return mayGrow ? lengthen(examples, minLength) : examples;
  }
  const plain = "a".repeat(minLength);
  if (schema.pattern === undefined) {
    return Array.from({ length: variant + 1 }, (_value, index) =>
      index === 0 ? plain : String(index).padStart(minLength, "a"),
    );
  }
  const guesses = [plain, ...PATTERN_GUESSES, ...Object.values(FORMAT_EXAMPLES).flat()];
  return lengthen(guesses, minLength);
}

/** Adds versions of texts that are long enough. */
function lengthen(texts: readonly string[], minLength: number): readonly string[] {
  const longer = texts.flatMap((text) => [
    text,
    text.padEnd(minLength, text.at(-1) ?? "a"),
    text.padEnd(minLength, "0"),
  ]);
  return [...new Set(longer)];
}

/** One text or several: a merged schema has a list. */
function textsOf(value: unknown): readonly string[] {
  return [value].flat().filter((one) => typeof one === "string");
}

/** The number nearest to zero that fits the schema; `undefined` when its limits exclude every number. */
export function smallestNumber(
  schema: UnknownRecord,
  options: { readonly isInteger: boolean; readonly variant: number },
): number | undefined {
  const { isInteger, variant } = options;
  const minimum = Number(schema.minimum ?? Number.NEGATIVE_INFINITY);
  const maximum = Number(schema.maximum ?? Number.POSITIVE_INFINITY);
  const above = Number(schema.exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
  const below = Number(schema.exclusiveMaximum ?? Number.POSITIVE_INFINITY);
  const step = stepOf(schema.multipleOf, isInteger);
  const lowest = Math.max(minimum, above);
  const highest = Math.min(maximum, below);
  const fits = (value: number): boolean =>
    value >= minimum && value <= maximum && value > above && value < below && isMultiple(value, step);
  const candidates = [0, ...near(lowest, step, 1), ...near(highest, step, -1), (lowest + highest) / 2];
  const first = candidates.filter(Number.isFinite).find(fits);
  if (first === undefined || variant === 0) return first;
  const distance = step === undefined ? variant : multiplyStep(step, variant);
  // When variants run out, another part of the value may still differ.
  return [first + distance, first - distance].find(fits) ?? first;
}

/** The step of all valid values. */
function stepOf(multipleOf: unknown, isInteger: boolean): number | undefined {
  if (multipleOf === undefined) return isInteger ? 1 : undefined;
  return isInteger ? leastCommonMultiple(Number(multipleOf), 1) : Number(multipleOf);
}

function isMultiple(value: number, step: number | undefined): boolean {
  return step === undefined || multiplyStep(step, Math.round(value / step)) === value;
}

/** The two valid values nearest to a limit, inclusive, in the given direction. */
function near(bound: number, step: number | undefined, direction: 1 | -1): readonly number[] {
  if (!Number.isFinite(bound)) return [];
  if (step === undefined) return [bound, bound + direction];
  const count = direction === 1 ? Math.ceil(bound / step) : Math.floor(bound / step);
  return [multiplyStep(step, count), multiplyStep(step, count + direction)];
}
