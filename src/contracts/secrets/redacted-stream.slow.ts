import { expect, test } from "bun:test";
import fc from "fast-check";
import { RedactedStream } from "./redacted-stream.ts";
import { createRedactor } from "./redactor.ts";
import { secretsOfEnvironment } from "./secret-values.ts";

const CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** Each part of it occurs once. */
const RANDOM = "q8Wm4Kt2Vx9LbNzR7".concat(
  ...Array.from({ length: 20_000 }, (_, index) => CHARACTERS.charAt((Math.imul(index + 1, 0x9e3779b1) >>> 7) % 62)),
);
const random = (length: number, from = 0): string => RANDOM.slice(from, from + length);

const ENV = {
  OPENAI_API_KEY: 'k9-Zq81+/plain"quote',
  DB_PASSWORD: "correct-horse-battery-staple",
  NOTES_TOKEN: "two words 4711\nand a line",
  LONG_KEY: `+${random(15_000)}`,
};
const redactor = createRedactor({ secrets: secretsOfEnvironment(ENV) });
const lines = (count: number): string => `${random(64, 99)}\n`.repeat(count);
const pem = (count: number): string =>
  `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n${lines(count)}-----END RSA PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----\n${lines(3)}-----END CERTIFICATE-----`;

/** Texts around secrets, and what of each must not be shown. */
const SECRETS: readonly (readonly [text: string, secret: string])[] = [
  ...Object.values(ENV).map((value) => [value, value] as const),
  ...[
    "sk-proj-abcdEFGH12345678",
    `ghp_${random(36)}`,
    "sk_live_q8Wm4Kt2Vx9LbNzR7",
    "rk_test_q8Wm4Kt2Vx9LbNzR7",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    `sk-${random(20_000)}${random(20_000)}`,
    `eyJ${random(60)}.${random(3_000)}.${random(9_000)}`,
    pem(2),
    pem(300),
    pem(300).replaceAll("\n", "\\n"),
    pem(300).replaceAll("\n", "\r\n"),
    pem(300).replaceAll("\n", "\n-"),
  ].map((secret) => [secret, secret] as const),
  ["Authorization: Bearer abcdefgh12", "abcdefgh12"],
  ["'authorization' = \"Basic dXNlcjpwYXNz\"", "dXNlcjpwYXNz"],
  ["x-api-key : abc12345678", "abc12345678"],
  [`{\\"x-api-key\\": \\"${random(30)}\\"}`, random(30)],
  [`x-api-key: ${random(12_000)}`, random(12_000)],
  ["Cookie: sid=abc123; b=cdefgh", "sid=abc123; b=cdefgh"],
  [`Cookie: sid=${`${random(60)}; b=`.repeat(300)}`, random(60)],
  ["https://me:pa55word1@host/a", "pa55word1"],
  ["https://a1b2c3d4e5f6a1b2c3d4@host/x", "a1b2c3d4e5f6a1b2c3d4"],
  ["http://h/?a=1&access_token=abcdTU&x=2", "abcdTU"],
  ["x-api-key: abc123bearer a1b2c3d4e5", "a1b2c3d4e5"],
  ["&token=abcd1x-api-key : abc12345678", "abc12345678"],
  [`http://h/?token=${random(9_000)}`, random(9_000)],
];
const OTHER = [
  ...["Words. ", "keyboard tokens ", "\n", " ", '"', "\\", "-", ": ", "=", ",", "sk-", "eyJ", "authorization: "],
  ...["[redacted]", "[redacted:NAME]", "-----", "-----BEGIN ", CERTIFICATE, "://", "a:b", "?key=", "cookie: ", "汉字"],
  ...[`\n${"x".repeat(9_000)}`, "word ".repeat(2_000), '{"key":"eyJ"},'.repeat(700)],
];

/** The text in pieces of these lengths, the last of which stays. */
function cut(text: string, lengths: readonly number[]): readonly string[] {
  const pieces: string[] = [];
  let at = 0;
  for (let count = 0; at < text.length; count++) {
    const length = lengths[Math.min(count, lengths.length - 1)] ?? 1;
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

function redactPieces(pieces: readonly string[]): readonly string[] {
  const stream = new RedactedStream(redactor);
  return [...pieces.map((piece) => stream.push(piece)), stream.flush()];
}

const lengths = fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 9_000 })), {
  minLength: 1,
  maxLength: 40,
});
const between = fc.array(fc.oneof(fc.constantFrom(...OTHER), fc.string({ maxLength: 12 })), { maxLength: 3 });

test.each(SECRETS.map(([text, secret]) => ({ name: text.slice(0, 40), text, secret })))(
  "$name: however a text is cut, its pieces are the redaction of the whole, and none has the secret",
  ({ text, secret }) => {
    fc.assert(
      fc.property(between, between, lengths, (before, after, sizes) => {
        const whole = [...before, " ", text, "\n", ...after].join("");
        const shown = redactPieces(cut(whole, sizes));
        expect(shown.join("")).toBe(redactor.text(whole));
        expect(shown.join("")).not.toContain(secret);
      }),
      { numRuns: 25 },
    );
  },
);

test("several secrets, next to each other, are redacted as in the whole text", () => {
  const short = SECRETS.map(([text]) => text).filter((text) => text.length < 1_000);
  const part = fc.oneof(fc.constantFrom(...short), fc.constantFrom(...OTHER), fc.string());
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), lengths, (parts, sizes) => {
      const whole = parts.join("");
      expect(redactPieces(cut(whole, sizes)).join("")).toBe(redactor.text(whole));
    }),
    { numRuns: 400 },
  );
});

test.each(SECRETS.filter(([text]) => text.length < 1_000))("in single characters, %p is redacted", (text) => {
  const whole = `Words, then ${text}\nand more.`;
  expect(redactPieces([...whole]).join("")).toBe(redactor.text(whole));
});

test("a certificate, words about keys and other text are shown at once", () => {
  const text = `${CERTIFICATE}\nThe keyboard token is a secret; see https://example.com/tokens?page=2#key `;
  const stream = new RedactedStream(redactor);
  expect(stream.push(text)).toBe(text);
});

test.each([
  ["words", "word and more ", ""],
  ["a run", "a", ""],
  ["a run of signs", "eyJ-sk-", ""],
  ["beginnings of keys", "-----BEGIN PRIVATE KEY-----\n", ""],
  ["the content of a key", "q8Wm4Kt2Vx9LbNzR\n", "-----BEGIN PRIVATE KEY-----\n"],
  ["a token without an end", "q8Wm4Kt2", "sk-"],
  ["headers", "authorization: ", ""],
  ["a header without an end", "q8Wm4Kt2", "x-api-key: "],
  ["cookies", "cookie: a=b1234 ", ""],
  ["users of URLs", "://a:b", ""],
  ["parameters", "&token=a", ""],
  ["JSON on one line", '{"key":"eyJ"},', ""],
])("in a stream, time is linear in the length of %s", (_title, unit, begin) => {
  const timeOf = (length: number): number => {
    const pieces = cut(begin + unit.repeat(Math.ceil(length / unit.length)), [13]);
    const times = [1, 2, 3].map(() => {
      // The process's own time: others may keep the processor.
      const before = process.cpuUsage();
      redactPieces(pieces);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    });
    return Math.min(...times);
  };
  const [short, long] = [timeOf(2_000), timeOf(16_000)];
  // 8 times as long; quadratic would be 64 times. The floor hides the noise of short times.
  expect(long).toBeLessThan(24 * Math.max(short, 2));
});
