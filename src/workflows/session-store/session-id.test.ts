import { expect, test } from "bun:test";
import { compareIdsByAge, generateWorkflowSessionId, isWorkflowSessionId } from "./session-id.ts";

const zeros = (count: number): Uint8Array => new Uint8Array(count);

test("an identifier is random at its beginning, which is a digit, and says its time", () => {
  const at = (time: number) => generateWorkflowSessionId({ clock: () => time, random: zeros });
  expect(at(Date.UTC(2025, 0, 1))).toBe("000000000000");
  expect(at(Date.UTC(2025, 0, 1) + 64 * 33)).toBe("000000000011");
  const random = () => Uint8Array.from([31, 32, 33, 255, 10]);
  expect(generateWorkflowSessionId({ clock: () => Date.UTC(2025, 0, 1), random })).toBe("101za0000000");
});

test("identifiers can be sorted by age for 69 years", () => {
  const times = [2025, 2026, 2026.5, 2040, 2059, 2093].map(
    (year) => Date.UTC(2025, 0, 1) + (year - 2025) * 365.25 * 86_400_000,
  );
  const ids = times.map((time) => generateWorkflowSessionId({ clock: () => time, random: zeros }));
  expect(ids.toReversed().toSorted(compareIdsByAge)).toEqual(ids);
  expect(new Set(ids.map((id) => id.length))).toEqual(new Set([12]));
});

test("four characters tell runs of one moment apart", () => {
  const count = 20;
  const prefixes = Array.from({ length: count }, (_, index) =>
    generateWorkflowSessionId({
      clock: () => Date.UTC(2026, 10, 21),
      random: () => Uint8Array.from([index, index * 7, index * 11, index * 13, 0]),
    }).slice(0, 4),
  );
  expect(new Set(prefixes).size).toBe(count);
});

test("identifiers of one moment differ by their random bytes, and all of them are valid", () => {
  const clock = () => Date.UTC(2026, 10, 21);
  const ids = Array.from({ length: 500 }, (_, index) =>
    generateWorkflowSessionId({
      clock,
      random: () => Uint8Array.from([index % 10, Math.floor(index / 10) % 32, Math.floor(index / 320), 0, 0]),
    }),
  );
  ids.push(...Array.from({ length: 5 }, () => generateWorkflowSessionId({ clock })));
  expect(new Set(ids).size).toBe(505);
  expect(ids.filter((id) => !isWorkflowSessionId(id))).toEqual([]);
});

test.each(
  [
    { text: "7d444840-9dc0-11d1-b245-5ffdce74fad2", isValid: true },
    { text: "nightly-build_2", isValid: true },
    { text: "abc", isValid: false },
    { text: "a".repeat(65), isValid: false },
    { text: "ABCD", isValid: false },
    { text: "../../etc", isValid: false },
    { text: "..", isValid: false },
    { text: "abcd/efgh", isValid: false },
    { text: "abcd\\efgh", isValid: false },
    { text: "abcd\n", isValid: false },
    { text: "-abcd", isValid: false },
    { text: "abc.d", isValid: false },
    { text: "", isValid: false },
  ].map((row) => ({ ...row, title: JSON.stringify(row.text) })),
)("$title is valid: $isValid", ({ text, isValid }) => {
  expect(isWorkflowSessionId(text)).toBe(isValid);
});
