import { expect, test } from "bun:test";
import { addTotals, formatTotals, parseJunitTotals, totalsOfRun } from "./test-totals.ts";

const reportOf = (tests: number, failures: number, skipped: number) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="bun test" tests="${tests}" assertions="9" failures="${failures}" skipped="${skipped}" time="0.01">\n</testsuites>`;

test("the totals come from the outermost element of a report", () => {
  expect(parseJunitTotals(reportOf(8, 1, 2))).toEqual({ passed: 5, failed: 1, skipped: 2 });
  expect(parseJunitTotals("no report")).toBeUndefined();
});

test.each([
  { title: "all well", exitCode: 0, report: reportOf(3, 0, 1), expected: { passed: 2, failed: 0, skipped: 1 } },
  { title: "a failure", exitCode: 1, report: reportOf(3, 1, 0), expected: { passed: 2, failed: 1, skipped: 0 } },
  { title: "no report", exitCode: 0, report: undefined, expected: { passed: 0, failed: 1, skipped: 0 } },
  { title: "no test", exitCode: 0, report: reportOf(0, 0, 0), expected: { passed: 0, failed: 1, skipped: 0 } },
  {
    title: "an exit code that no failed test explains",
    exitCode: 1,
    report: reportOf(3, 0, 0),
    expected: { passed: 3, failed: 1, skipped: 0 },
  },
])("a run counts as failed unless its report and its exit code both say otherwise: $title", (item) => {
  expect(totalsOfRun(item)).toEqual(item.expected);
});

test("the closing line names skipped tests only when there are any", () => {
  const totals = addTotals({ passed: 1, failed: 2, skipped: 0 }, { passed: 3, failed: 0, skipped: 0 });
  expect(formatTotals(totals)).toBe("4 passed, 2 failed");
  expect(formatTotals({ ...totals, skipped: 1 })).toBe("4 passed, 2 failed, 1 skipped");
});
