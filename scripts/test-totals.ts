/** How many tests passed, failed and were skipped. */
export interface TestTotals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** No test at all. */
export const NO_TESTS: TestTotals = { passed: 0, failed: 0, skipped: 0 };

/** The sum of two totals. */
export function addTotals(left: TestTotals, right: TestTotals): TestTotals {
  return {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: left.skipped + right.skipped,
  };
}

/** The closing line of a test run, for people and for CI. */
export function formatTotals(totals: TestTotals): string {
  const skipped = totals.skipped === 0 ? "" : `, ${totals.skipped} skipped`;
  return `${totals.passed} passed, ${totals.failed} failed${skipped}`;
}

/** Reads the totals that a JUnit report's outermost element carries. Undefined when the text is no such report. */
export function parseJunitTotals(report: string): TestTotals | undefined {
  const root = /<testsuites\b[^>]*>/.exec(report)?.[0];
  if (root === undefined) return undefined;
  const numberOf = (attribute: string) => Number(new RegExp(` ${attribute}="(\\d+)"`).exec(root)?.[1] ?? 0);
  const failed = numberOf("failures") + numberOf("errors");
  const skipped = numberOf("skipped");
  return { passed: numberOf("tests") - failed - skipped, failed, skipped };
}

/**
 * What a run of the test program amounts to. A run counts as at least one failure when it left no report (it crashed, or
 * a test ended the process), ran no test, or ended with an exit code that its report does not explain.
 */
export function totalsOfRun(run: { readonly exitCode: number; readonly report: string | undefined }): TestTotals {
  const totals = run.report === undefined ? undefined : parseJunitTotals(run.report);
  if (totals === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const isUnexplained = totals.failed === 0 && (run.exitCode !== 0 || totals.passed + totals.skipped === 0);
  return isUnexplained ? { ...totals, failed: 1 } : totals;
}
