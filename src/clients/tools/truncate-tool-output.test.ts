import { expect, test } from "bun:test";
import fc from "fast-check";
import { truncateToolOutput } from "./truncate-tool-output.ts";

function numberedLines(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");
}

test.each([
  { title: "what fits stays as it is", output: "a\nb", maxLines: 2, maxBytes: 3, expected: "a\nb" },
  {
    title: "of too many lines the first and the last are kept",
    output: numberedLines(9),
    maxLines: 4,
    maxBytes: 1_000,
    expected: "line 1\nline 2\n… (5 lines, 34 bytes left out) …\nline 8\nline 9",
  },
  {
    title: "the odd line goes to the beginning",
    output: "a\nb\nc\n",
    maxLines: 1,
    maxBytes: 1_000,
    expected: "a\n… (2 lines, 3 bytes left out) …",
  },
  {
    title: "one long line is cut in its middle",
    output: `${"a".repeat(600)}${"b".repeat(1_000)}`,
    maxLines: 10,
    maxBytes: 8,
    expected: "aaaa\n… (1 line, 1,592 bytes left out) …\nbbbb",
  },
  {
    title: "no character is cut in two",
    output: "äöü👍👍👍äöü",
    maxLines: 10,
    maxBytes: 14,
    expected: "äöü\n… (1 line, 12 bytes left out) …\näöü",
  },
  {
    title: "a limit of nothing leaves the note",
    output: "a\nb",
    maxLines: 0,
    maxBytes: 0,
    expected: "… (2 lines, 3 bytes left out) …",
  },
])("$title", ({ output, maxLines, maxBytes, expected }) => {
  expect(truncateToolOutput(output, { maxLines, maxBytes })).toBe(expected);
});

test("without options 2,000 lines and 50 KiB are kept", () => {
  expect(truncateToolOutput(numberedLines(2_000))).toBe(numberedLines(2_000));
  expect(truncateToolOutput(numberedLines(2_001))).toContain("\n… (1 line, 9 bytes left out) …\n");
  expect(truncateToolOutput("x".repeat(51_200))).toHaveLength(51_200);
  expect(truncateToolOutput("x".repeat(51_201))).toContain("\n… (1 line, 1 byte left out) …\n");
});

test("the note ends with the caller's remark", () => {
  expect(truncateToolOutput("a\nb", { maxLines: 1, remark: "all of it: /tmp/a.txt" })).toBe(
    "a\n… (1 line, 1 byte left out; all of it: /tmp/a.txt) …",
  );
});

test("whatever the output, the parts kept are its own, whole characters, within the limits", () => {
  const texts = fc.array(fc.constantFrom("a", "ä", "€", "👍", "\n"), { maxLength: 200 }).map((parts) => parts.join(""));
  const limits = fc.record({ maxLines: fc.nat(20), maxBytes: fc.nat(60) });
  fc.assert(
    fc.property(texts, limits, (output, options) => {
      const shown = truncateToolOutput(output, options);
      if (shown === output) return;
      const [head = "", tail = ""] = shown.split(/\n?… \([\d,]+ lines?, [\d,]+ bytes? left out\) …\n?/);
      expect(output.startsWith(head)).toBe(true);
      expect(output.endsWith(tail)).toBe(true);
      expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeLessThanOrEqual(options.maxBytes);
      const lines = [head, tail].filter((text) => text !== "").flatMap((text) => text.split("\n"));
      expect(lines.length).toBeLessThanOrEqual(options.maxLines + 1);
    }),
  );
});
