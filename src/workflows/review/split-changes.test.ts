import { expect, test } from "bun:test";
import type { FileChange } from "./parse-diff.ts";
import { renderChange, renderPieces, splitChanges } from "./split-changes.ts";

function change(path: string, count: number): FileChange {
  const lines = Array.from({ length: count }, (_, index) => `+line ${index + 1}`);
  return { path, status: "modified", isBinary: false, hunks: [{ start: 1, lines }] };
}

const LIMITS = { maxDiffLength: 1_000, maxParts: 8 };

test("a change is shown with the line numbers of the new version", () => {
  const hunks = [{ start: 9, lines: [" a", "-b", "+c"] }];
  expect(renderChange({ path: "x", oldPath: "y", status: "renamed", isBinary: false, hunks })).toEqual([
    "=== x (renamed from y)",
    "@@",
    "     9  a",
    "       -b",
    "    10 +c",
  ]);
});

test("small files share a prompt, and a file that does not fit any more starts the next one", () => {
  const files = [change("a", 25), change("b", 25), change("c", 25)];
  expect(splitChanges(files, LIMITS)).toEqual({
    parts: [
      {
        number: 1,
        pieces: [
          { index: 0, from: 0, to: 27 },
          { index: 1, from: 0, to: 27 },
        ],
      },
      { number: 2, pieces: [{ index: 2, from: 0, to: 27 }] },
    ],
    leftOut: [],
  });
});

test("a large file is divided, and each piece names it", () => {
  const files = [change("big", 100)];
  const { parts, leftOut } = splitChanges(files, LIMITS);
  const pieces = parts.flatMap((part) => part.pieces);
  expect({ leftOut, last: pieces.at(-1)?.to, parts: parts.length }).toEqual({ leftOut: [], last: 102, parts: 2 });
  expect(pieces.slice(1).map(({ from }) => from)).toEqual(pieces.slice(0, -1).map(({ to }) => to));
  for (const part of parts) {
    const text = renderPieces(files, part.pieces);
    expect(text).toStartWith("=== big (modified)");
    expect(text.length).toBeLessThan(1_050);
  }
  expect(
    parts
      .map((part) => renderPieces(files, part.pieces))
      .join("\n")
      .match(/line \d+$/gm),
  ).toHaveLength(100);
});

test("what exceeds the number of prompts is left out by name", () => {
  const files = [change("a", 100), change("b", 100), change("c", 100)];
  const { parts, leftOut } = splitChanges(files, { maxDiffLength: 1_000, maxParts: 3 });
  expect({ parts: parts.length, leftOut }).toEqual({
    parts: 3,
    leftOut: [
      { path: "b", reason: "the diff is too large: only the start of this file was read" },
      { path: "c", reason: "the diff is too large" },
    ],
  });
});

test("both changes of a path are read, where a link replaces a file", () => {
  const files: readonly FileChange[] = [
    { path: "a", status: "deleted", isBinary: false, hunks: [{ start: 0, lines: ["-old"] }] },
    { path: "a", status: "added", isBinary: false, hunks: [{ start: 1, lines: ["+target"] }] },
  ];
  const { parts } = splitChanges(files, LIMITS);
  expect(parts.map(({ pieces }) => renderPieces(files, pieces))).toEqual([
    "=== a (deleted)\n@@\n       -old\n=== a (added)\n@@\n     1 +target",
  ]);
});

test("a path that was left out does not hide another change of it", () => {
  const files: readonly FileChange[] = [{ ...change("a", 1), isBinary: true }, change("a", 1)];
  const { parts, leftOut } = splitChanges(files, LIMITS);
  expect([parts.map(({ pieces }) => pieces), leftOut]).toEqual([
    [[{ index: 1, from: 0, to: 3 }]],
    [{ path: "a", reason: "binary file" }],
  ]);
});

test.each([
  { path: "img/x.png", isBinary: true, reason: "binary file" },
  { path: "a/package-lock.json", isBinary: false, reason: "generated file" },
  { path: "dist/a.min.js", isBinary: false, reason: "generated file" },
  { path: "a/.env.local", isBinary: false, reason: "its name suggests secrets" },
])("$path is left out: $reason", ({ path, isBinary, reason }) => {
  expect(splitChanges([{ ...change(path, 1), isBinary }], LIMITS)).toEqual({ parts: [], leftOut: [{ path, reason }] });
});

test("a very long line is shortened", () => {
  const hunks = [{ start: 1, lines: [`+${"x".repeat(10_000)}`] }];
  const [, , line = ""] = renderChange({ path: "a", status: "added", isBinary: false, hunks });
  expect([line.length, line.slice(-12)]).toEqual([2_020, "… (shortened)".slice(-12)]);
});
