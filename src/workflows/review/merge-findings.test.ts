import { expect, test } from "bun:test";
import type { RawFinding } from "./finding.ts";
import { mergeFindings } from "./merge-findings.ts";
import { parseDiff } from "./parse-diff.ts";

const FILES = parseDiff(`diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -10,3 +10,4 @@
 ten
-old
+eleven
+twelve
 thirteen
@@ -40 +41,2 @@
-x
+forty one
+forty two
diff --git a/old.ts b/new.ts
similarity index 90%
rename from old.ts
rename to new.ts
--- a/old.ts
+++ b/new.ts
@@ -1 +1 @@
-a
+b
diff --git a/gone.ts b/gone.ts
deleted file mode 100644
--- a/gone.ts
+++ /dev/null
@@ -1 +0,0 @@
-a
`);

function finding(part: Partial<RawFinding> = {}): RawFinding {
  return {
    file: "src/a.ts",
    startLine: 11,
    endLine: 11,
    severity: "medium",
    category: "bugs",
    title: "Wrong",
    description: "It is wrong.",
    suggestion: "",
    ...part,
  };
}

const claude = (...findings: readonly RawFinding[]) => ({ focus: "bugs", agent: "claude", findings });
const opencode = (...findings: readonly RawFinding[]) => ({ focus: "security", agent: "opencode", findings });

test("the same problem of two reviewers is one finding, with the worse severity and both reports", () => {
  const other = finding({ startLine: 11, endLine: 12, severity: "high", title: "Broken", suggestion: "Repair it." });
  expect(mergeFindings([claude(finding()), opencode(other)], FILES)).toEqual({
    findings: [
      {
        id: "f1",
        file: "src/a.ts",
        lines: { start: 11, end: 12 },
        severity: "high",
        category: "bugs",
        title: "Broken",
        description: "It is wrong.",
        suggestion: "Repair it.",
        fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
        reports: [
          { focus: "bugs", agent: "claude", title: "Wrong", description: "It is wrong." },
          { focus: "security", agent: "opencode", title: "Broken", description: "It is wrong." },
        ],
      },
    ],
    dropped: [],
  });
});

test.each([
  { title: "another category", other: opencode(finding({ category: "security" })), count: 2 },
  { title: "other lines", other: opencode(finding({ startLine: 13, endLine: 13 })), count: 2 },
  { title: "another file", other: opencode(finding({ file: "new.ts", startLine: 1, endLine: 1 })), count: 2 },
  { title: "another problem of the same reviewer", other: claude(finding({ title: "Also wrong" })), count: 2 },
  { title: "the same title of the same reviewer", other: claude(finding({ title: "WRONG" })), count: 1 },
])("$title: $count findings", ({ other, count }) => {
  expect(mergeFindings([claude(finding()), other], FILES).findings).toHaveLength(count);
});

test.each([
  { title: "a path with a dot", part: { file: "./src/a.ts" }, place: ["src/a.ts", 11, 11] },
  { title: "a path as in the diff", part: { file: "b/src/a.ts" }, place: ["src/a.ts", 11, 11] },
  { title: "the name before the rename", part: { file: "old.ts", startLine: 1, endLine: 1 }, place: ["new.ts", 1, 1] },
  { title: "lines beyond the hunk", part: { startLine: 5, endLine: 99 }, place: ["src/a.ts", 10, 13] },
  { title: "an end before the start", part: { startLine: 12, endLine: 3 }, place: ["src/a.ts", 12, 12] },
  { title: "the second hunk", part: { startLine: 42, endLine: 42 }, place: ["src/a.ts", 42, 42] },
])("$title is understood", ({ part, place }) => {
  const [found] = mergeFindings([claude(finding(part))], FILES).findings;
  expect([found?.file, found?.lines?.start, found?.lines?.end]).toEqual(place as never);
});

test.each([
  {
    title: "a line between hunks",
    part: { startLine: 20, endLine: 20 },
    note: "Reported for line 20, which is not in the diff.",
  },
  {
    title: "lines that do not exist",
    part: { startLine: 900, endLine: 999 },
    note: "Reported for lines 900 to 999, which are not in the diff.",
  },
  { title: "no line", part: { startLine: 0, endLine: 0 }, note: "Reported for line 0, which is not in the diff." },
  { title: "a deleted file", part: { file: "gone.ts", startLine: 1, endLine: 1 }, note: "The file was deleted." },
])("$title keeps the finding without lines, and says so", ({ part, note }) => {
  const [found] = mergeFindings([claude(finding(part))], FILES).findings;
  expect([found?.lines, found?.note]).toEqual([undefined, note]);
});

test("of two changes of a path, a finding is about the one with its lines", () => {
  const files = parseDiff(
    [
      "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-old",
      "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+target",
      "",
    ].join("\n"),
  );
  const findings = [1, 9].map((line) => finding({ file: "x", startLine: line, endLine: line, title: `Line ${line}` }));
  expect(
    mergeFindings([claude(...findings)], files).findings.map(({ title, lines, note }) => [title, lines, note]),
  ).toEqual([
    ["Line 9", undefined, "Reported for line 9, which is not in the diff."],
    ["Line 1", { start: 1, end: 1 }, undefined],
  ]);
});

test("the exact path comes before one without its first folder", () => {
  const diff = (path: string) => `--- a/${path}\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`;
  const files = parseDiff(diff("x.ts") + diff("b/x.ts"));
  const [found] = mergeFindings([claude(finding({ file: "b/x.ts", startLine: 1, endLine: 1 }))], files).findings;
  expect(found?.file).toBe("b/x.ts");
});

test("a finding about a file that did not change is dropped", () => {
  const { findings, dropped } = mergeFindings([claude(finding({ file: "../../etc/passwd" }))], FILES);
  expect(findings).toEqual([]);
  expect(dropped).toEqual([
    {
      file: "../../etc/passwd",
      focus: "bugs",
      agent: "claude",
      title: "Wrong",
      description: "It is wrong.",
      reason: "the change does not contain this file",
    },
  ]);
});

test("the worst findings come first, then files and lines; texts are single lines", () => {
  const reports = claude(
    finding({ startLine: 13, endLine: 13, title: "third\nof  all" }),
    finding({ startLine: 12, endLine: 12, title: "second" }),
    finding({ file: "new.ts", startLine: 1, endLine: 1, severity: "critical", title: "first" }),
  );
  expect(mergeFindings([reports], FILES).findings.map(({ id, title }) => `${id} ${title}`)).toEqual([
    "f1 first",
    "f2 second",
    "f3 third of all",
  ]);
});

test("a fingerprint depends on the code, so that it stays when the lines move", () => {
  const moved = parseDiff("--- a/src/a.ts\n+++ b/src/a.ts\n@@ -70 +70,2 @@\n x\n+  eleven\n");
  const [before] = mergeFindings([claude(finding())], FILES).findings;
  const [after] = mergeFindings(
    [claude(finding({ startLine: 71, endLine: 71, title: "Other words" }))],
    moved,
  ).findings;
  expect(after?.fingerprint).toBe(before?.fingerprint ?? "none");
});
