import { expect, test } from "bun:test";
import { EXAMPLE_REPORT } from "./fixtures/example-report.ts";
import { formatReview } from "./format-review.ts";

test("text names each finding with its place, who found it and who checked it", () => {
  expect(
    `${formatReview(EXAMPLE_REPORT, "text")}\n`,
  ).toBe(`high  src/a b.ts:3-5  security: \`run()\` passes input to a shell
  Anyone can run <b>commands</b>, see [here](https://evil.example) or @you.
  Suggestion: Use execFile.
  Found by security (claude), bugs (opencode). Confirmed by opencode: exec() gets the name.

low  src/a b.ts  speed: Slow
  Reported for line 90, which is not in the diff.
  Found by speed (claude). Not verified: The check failed: no answer

Refuted:
  src/a b.ts:7  Not wrong (refuted by claude: The caller checks it.)

Dropped: x.ts  Elsewhere (bugs, opencode: the change does not contain this file)
The reviewer tests (opencode) failed: not signed in
Not reviewed: logo.png (binary file)
2 files reviewed (changes since origin/main, commit 8f3c1d2e4b5a): 1 confirmed, 1 unverified, 1 refuted. Failed: a finding is high or worse.
claude was given 1 finding to correct. 2 of its calls were denied: allow them with --allow. Review again to check the result. It says: 1. corrected
`);
});

test("Markdown has no links, images, HTML or mentions of agents", () => {
  expect(`${formatReview(EXAMPLE_REPORT, "markdown")}\n`).toBe(`## Review

2 files reviewed (changes since origin/main, commit 8f3c1d2e4b5a): 1 confirmed, 1 unverified, 1 refuted. Failed: a finding is high or worse.

claude was given 1 finding to correct. 2 of its calls were denied: allow them with --allow. Review again to check the result. It says: 1. corrected

### high: \`run()\` passes input to a shell

\`src/a b.ts:3-5\` · security

Anyone can run &lt;b&gt;commands&lt;/b&gt;, see \\[here\\](https&#58;//evil.example) or &#64;you.

Suggestion: Use execFile.

Found by security (claude), bugs (opencode); confirmed by opencode: exec() gets the name.

### low: Slow

\`src/a b.ts\` · speed

Reported for line 90, which is not in the diff.

Found by speed (claude); not verified: The check failed: no answer

### Refuted

- \`src/a b.ts:7\` Not wrong (refuted by claude: The caller checks it.)
- \`x.ts\` Elsewhere (dropped: the change does not contain this file)

### Not covered

- The reviewer tests (opencode) failed: not signed in
- Not reviewed: logo.png (binary file)
`);
});

test("of many files that were left out for one reason, some are named, and the others counted", () => {
  const leftOut = Array.from({ length: 23 }, (_, index) => ({ path: `${index + 1}.png`, reason: "binary file" }));
  const report = { ...EXAMPLE_REPORT, leftOut: [...leftOut, { path: "x", reason: "not read" }] };
  const lines = formatReview(report, "text").match(/^Not reviewed: .*$/gm) ?? [];
  expect([lines.length, ...lines.slice(-3)]).toEqual([
    22,
    "Not reviewed: 20.png (binary file)",
    "Not reviewed: x (not read)",
    "Not reviewed: 3 more (binary file)",
  ]);
});

test("JSON is the report itself", () => {
  expect(JSON.parse(formatReview(EXAMPLE_REPORT, "json"))).toEqual(EXAMPLE_REPORT);
});

test.each([
  { part: {}, text: "Nothing to review: changes since origin/main, commit 8f3c1d2e4b5a." },
  { part: { base: "" }, text: "Nothing to review: no uncommitted changes that can be reviewed." },
  { part: { base: "", commit: "" }, text: "Nothing to review: the diff contains no text that can be reviewed." },
])("$text", ({ part, text }) => {
  const nothing = { findings: [], refuted: [], dropped: [], reviewers: [], leftOut: [], files: 0, isPassed: true };
  const report = { ...EXAMPLE_REPORT, ...nothing, ...part, status: "nothing-to-review" as const };
  expect(formatReview(report, "text")).toBe(text);
});

test.each([
  { text: "a `<b>` b", expected: "a `<b>` b" },
  { text: "``<b>`` and `<i>", expected: "\\`\\`&lt;b&gt;\\`\\` and \\`&lt;i&gt;" },
  { text: "# title", expected: "&#35; title" },
  { text: "`a` # b\n=====\n## c", expected: "`a` &#35; b ===== &#35;&#35; c" },
  { text: "- item\n# title", expected: "\\- item &#35; title" },
  { text: "![x](http://a) www.b.c", expected: "!\\[x\\](http&#58;//a) www&#46;b.c" },
  { text: "1. one *two* __three__", expected: "1\\. one \\*two\\* \\_\\_three\\_\\_" },
])("Markdown shows $text as it is", ({ text, expected }) => {
  const [finding] = EXAMPLE_REPORT.findings;
  const findings = finding === undefined ? [] : [{ ...finding, description: text }];
  expect(formatReview({ ...EXAMPLE_REPORT, findings }, "markdown").split("\n\n")[5]).toBe(expected);
});
