import { expect, test } from "bun:test";
import { parseDiff } from "./parse-diff.ts";
import { InvalidReviewInputError } from "./review-errors.ts";

const MODIFIED = `diff --git a/src/a.ts b/src/a.ts
index 1111111..2222222 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,4 @@ function a() {
 one
-two
+TWO
+--- a/not-a-file
 three
@@ -10 +11,0 @@
-ten
\\ No newline at end of file
`;

test("a modified file has its hunks, with the numbers of the new version", () => {
  expect(parseDiff(MODIFIED)).toEqual([
    {
      path: "src/a.ts",
      status: "modified",
      isBinary: false,
      hunks: [
        { start: 1, lines: [" one", "-two", "+TWO", "+--- a/not-a-file", " three"] },
        { start: 12, lines: ["-ten"] },
      ],
    },
  ]);
});

test.each([
  {
    title: "an added file",
    diff: "diff --git a/a b b/a b\nnew file mode 100644\n--- /dev/null\n+++ b/a b\t\n@@ -0,0 +1 @@\n+x\n",
    expected: { path: "a b", status: "added", isBinary: false, hunks: [{ start: 1, lines: ["+x"] }] },
  },
  {
    title: "an empty added file",
    diff: "diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n",
    expected: { path: "empty", status: "added", isBinary: false, hunks: [] },
  },
  {
    title: "a deleted file",
    diff: "diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
    expected: { path: "old", status: "deleted", isBinary: false, hunks: [{ start: 1, lines: ["-x"] }] },
  },
  {
    title: "a renamed file without other changes",
    diff: "diff --git a/old name b/new\nsimilarity index 100%\nrename from old name\nrename to new\n",
    expected: { path: "new", oldPath: "old name", status: "renamed", isBinary: false, hunks: [] },
  },
  {
    title: "a renamed file with a change",
    diff: "diff --git a/old b/new\nsimilarity index 90%\nrename from old\nrename to new\n--- a/old\n+++ b/new\n@@ -1 +1 @@\n-a\n+b\n",
    expected: {
      path: "new",
      oldPath: "old",
      status: "renamed",
      isBinary: false,
      hunks: [{ start: 1, lines: ["-a", "+b"] }],
    },
  },
  {
    title: "a binary file",
    diff: "diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n",
    expected: { path: "x.png", status: "modified", isBinary: true, hunks: [] },
  },
  {
    title: "the content of a binary file",
    diff: "diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZQzV_\n\nliteral 0\nHcmV?d00001\n\n",
    expected: { path: "x.png", status: "modified", isBinary: true, hunks: [] },
  },
  {
    title: "a diff in a mail",
    diff: "From 1 Mon Sep 17\nSubject: x\n\n---\n x | 2 +-\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-- \n+b\n-- \n2.40.1\n",
    expected: { path: "x", status: "modified", isBinary: false, hunks: [{ start: 1, lines: ["-- ", "+b"] }] },
  },
  {
    title: "a changed link without a line break at its end",
    diff: "diff --git a/x b/x\nindex 1..2 120000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
    expected: { path: "x", status: "modified", isBinary: false, hunks: [{ start: 1, lines: ["-a", "+b"] }] },
  },
  {
    title: "a quoted name with a hunk",
    diff: 'diff --git "a/\\303\\244.ts" "b/\\303\\244.ts"\n--- "a/\\303\\244.ts"\n+++ "b/\\303\\244.ts"\n@@ -1 +1 @@\n-a\n+b\n',
    expected: { path: "ä.ts", status: "modified", isBinary: false, hunks: [{ start: 1, lines: ["-a", "+b"] }] },
  },
  {
    title: "a file before one that diff only names",
    diff: "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nBinary files a/y and b/y differ\nOnly in b: z\n",
    expected: { path: "x", status: "modified", isBinary: false, hunks: [{ start: 1, lines: ["-a", "+b"] }] },
  },
  {
    title: "a file whose mode changed",
    diff: "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n",
    expected: { path: "run", status: "modified", isBinary: false, hunks: [] },
  },
  {
    title: "a quoted name",
    diff: 'diff --git "a/\\303\\244\\"\\t.ts" "b/\\303\\244\\"\\t.ts"\nold mode 100644\nnew mode 100755\n',
    expected: { path: 'ä"\t.ts', status: "modified", isBinary: false, hunks: [] },
  },
  {
    title: "a diff without git",
    diff: "--- old.c\t2026-01-01 10:00:00\n+++ old.c\t2026-01-02 10:00:00\n@@ -1 +1 @@\n-a\n+b\n",
    expected: { path: "old.c", status: "modified", isBinary: false, hunks: [{ start: 1, lines: ["-a", "+b"] }] },
  },
  {
    title: "an empty line without its space",
    diff: "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n\n+b\n",
    expected: { path: "x", status: "modified", isBinary: false, hunks: [{ start: 1, lines: [" a", " ", "+b"] }] },
  },
])("$title is read", ({ diff, expected }) => {
  expect(parseDiff(diff)).toEqual([expected as never]);
});

test("several files follow each other, with and without git's own lines", () => {
  const plain = "--- a/one\n+++ b/one\n@@ -1 +1 @@\n-a\n+b\n--- a/two\n+++ b/two\n@@ -1 +1 @@\n-a\n+b\n";
  expect(parseDiff(`${MODIFIED}${plain}`).map(({ path }) => path)).toEqual(["src/a.ts", "one", "two"]);
});

test.each(["", "\n", "no diff at all\n"])("%j has no files", (text) => {
  expect(parseDiff(text)).toEqual([]);
});

test.each([
  { text: "+++ b/x\n", problem: 'Missing "--- ..." file header for b/x' },
  { text: "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n", problem: "Hunk at line 3 contained invalid line" },
  {
    text: `--- a/x\n+++ b/x\n@@ -1 +1 @@\n${"x".repeat(300)}\n`,
    problem: `Hunk at line 3 contained invalid line ${"x".repeat(161)}…`,
  },
])("a broken diff is an error: $problem", ({ text, problem }) => {
  expect(() => parseDiff(text)).toThrow(new InvalidReviewInputError([`diff: ${problem}`]));
});
