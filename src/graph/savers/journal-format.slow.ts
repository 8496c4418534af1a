import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { JournalEntry } from "../model/checkpointer.ts";
import { encodeEntry, encodeHeader, parseEntries, parseEntry, parseHeader } from "./journal-format.ts";

const RECORD: JournalEntry = { sequence: 12, kind: "record", body: '{"type":"step"}' };
const HEADER = encodeHeader({ runId: 'ü"\n', createdAt: 1_700_000_000_000 });

describe("the first line", () => {
  test("contains the format, the time and the run", () => {
    expect(HEADER.toString()).toBe('atomic-journal 1 1700000000000 77434016 "ü\\"\\n"\n');
    expect(parseHeader(HEADER)).toEqual({
      type: "header",
      header: { runId: 'ü"\n', createdAt: 1_700_000_000_000 },
      end: HEADER.length,
    });
  });

  test("is torn when it is cut off anywhere, and damaged when it is changed anywhere", () => {
    for (let index = 0; index < HEADER.length; index++) {
      expect(parseHeader(HEADER.subarray(0, index))).toEqual({ type: "torn" });
      const changed = Buffer.from(HEADER);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(parseHeader(Buffer.concat([changed, Buffer.from("\n")])).type).toBe("damaged");
    }
  });
});

describe("an entry's line", () => {
  test("has a head of fixed length before the body", () => {
    const line = encodeEntry(RECORD, 0x1f4);
    expect(line.toString()).toBe('0000000012 r 0000000015 99f023f5 0000000001f4 2067b5b3 {"type":"step"}\n');
    expect(parseEntry(line, 0)).toEqual({ type: "entry", entry: RECORD, end: line.length, snapshotOffset: 0x1f4 });
  });

  test("is torn when it is cut off anywhere", () => {
    const line = encodeEntry(RECORD, 0);
    for (let length = 1; length < line.length; length++) {
      expect([length, parseEntry(line.subarray(0, length), 0)]).toEqual([length, { type: "torn" }]);
    }
  });

  test("is torn when a power cut left NULs in place of its end", () => {
    const line = encodeEntry(RECORD, 0);
    for (let length = 0; length < line.length; length++) {
      const bytes = Buffer.concat([line.subarray(0, length), Buffer.alloc(200)]);
      expect([length, parseEntry(bytes, 0).type]).toEqual([length, "torn"]);
    }
  });

  test("is damaged when any bit of it is another", () => {
    const line = encodeEntry(RECORD, 0);
    for (let bit = 0; bit < line.length * 8; bit++) {
      const changed = Buffer.from(line);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect([bit, parseEntry(changed, 0).type]).toEqual([bit, "damaged"]);
    }
  });

  test("keeps any text, and no line feed or NUL of it", () => {
    const texts = fc.oneof(fc.string({ unit: "binary" }), fc.json(), fc.constantFrom("\ud800", "\uFEFF", "\n", "\0"));
    const entries = fc.record({
      sequence: fc.integer({ min: 1, max: 9_999_999_999 }),
      kind: fc.constantFrom("record" as const, "snapshot" as const),
      body: texts,
    });
    fc.assert(
      fc.property(entries, fc.nat(), (entry, snapshotOffset) => {
        const line = encodeEntry(entry, snapshotOffset);
        expect(parseEntry(line, 0)).toEqual({ type: "entry", entry, end: line.length, snapshotOffset });
        expect([line.indexOf(10), line.indexOf(0)]).toEqual([line.length - 1, -1]);
      }),
    );
  });
});

describe("entries", () => {
  const lines = [1, 2, 3].map((sequence) => encodeEntry({ sequence, kind: "record", body: `${sequence}` }, 0));
  const [first = HEADER, second = HEADER, third = HEADER] = lines;

  test.each([
    { title: "all of them", bytes: Buffer.concat(lines), count: 3, damage: undefined },
    { title: "none", bytes: Buffer.alloc(0), count: 0, damage: undefined },
    { title: "a gap", bytes: Buffer.concat([first, third]), count: 1, damage: "the entry is missing" },
    { title: "a repetition", bytes: Buffer.concat([first, first]), count: 1, damage: "the entry is missing" },
    { title: "a missing beginning", bytes: second, count: 0, damage: "the entry is missing" },
    { title: "other text", bytes: Buffer.from(`${"x".repeat(99)}\n`), count: 0, damage: "its head is damaged" },
  ])("are read up to what is wrong: $title", ({ bytes, count, damage }) => {
    const parsed = parseEntries(bytes, { start: 0, firstSequence: 1 });
    expect([parsed.entries.length, parsed.end, parsed.damage]).toEqual([
      count,
      Buffer.concat(lines.slice(0, count)).length,
      damage === undefined ? undefined : { sequence: count + 1, detail: damage },
    ]);
  });

  test("after `lastSequence` are not parsed", () => {
    const bytes = Buffer.concat([first, second, Buffer.from(`${"x".repeat(99)}\n`)]);
    const parse = (lastSequence: number) => parseEntries(bytes, { start: 0, firstSequence: 1, lastSequence });
    expect(parse(3).damage).toEqual({ sequence: 3, detail: "its head is damaged" });
    expect([parse(2).damage, parse(2).end]).toEqual([undefined, first.length + second.length]);
    expect([parse(1).damage, parse(1).end]).toEqual([undefined, first.length]);
  });
});
