import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { failedChecks, formatCheckReport, runChecks } from "./run-checks.ts";
import { addTotals, formatTotals, NO_TESTS, type TestTotals, totalsOfRun } from "./test-totals.ts";

const ROOT = join(import.meta.dirname, "..");
const TEST_FOLDERS = ["src", "scripts", "bench/src"];
const TEST_TIMEOUT_MS = 60_000;
const SOAK_TIMEOUT_MS = 600_000;

/**
 * `run-tests.ts [PATH…] [FLAG…]` runs the checks and all tests, or only the tests below the given paths; flags go to
 * `bun test` unchanged. `run-tests.ts --soak [PATH…]` runs the `*.soak.ts` files.
 */
async function main(args: readonly string[]): Promise<TestTotals> {
  const isSoak = args[0] === "--soak";
  const rest = isSoak ? args.slice(1) : args;
  const firstFlag = rest.findIndex((argument) => argument.startsWith("-"));
  const paths = firstFlag === -1 ? rest : rest.slice(0, firstFlag);
  const flags = firstFlag === -1 ? [] : rest.slice(firstFlag);
  if (isSoak) {
    const files = await listSoakFiles(paths.length > 0 ? paths : TEST_FOLDERS);
    return files.length === 0 ? NO_TESTS : runBunTest(files, { flags, timeoutMs: SOAK_TIMEOUT_MS });
  }
  if (rest.length > 0)
    return runBunTest(paths.length > 0 ? paths : TEST_FOLDERS, { flags, timeoutMs: TEST_TIMEOUT_MS });
  return addTotals(await countChecks(), await runBunTest(TEST_FOLDERS, { flags, timeoutMs: TEST_TIMEOUT_MS }));
}

/** Runs the checks; each counts as one test. */
async function countChecks(): Promise<TestTotals> {
  const reports = await runChecks(ROOT);
  for (const report of reports) console.log(formatCheckReport(report));
  const failed = failedChecks(reports).length;
  return { passed: reports.length - failed, failed, skipped: 0 };
}

async function runBunTest(
  paths: readonly string[],
  { flags, timeoutMs }: { readonly flags: readonly string[]; readonly timeoutMs: number },
): Promise<TestTotals> {
  const folder = await mkdtemp(join(tmpdir(), "atomic-test-report-"));
  try {
    const reportPath = join(folder, "junit.xml");
    const reportFlags = ["--reporter=junit", `--reporter-outfile=${reportPath}`];
    const filters = paths.map((path) => `./${relative(ROOT, join(ROOT, path))}`); // "./" makes it a path, not a pattern
    const command = ["test", `--timeout=${timeoutMs}`, ...reportFlags, ...flags, ...filters];
    const child = spawn(process.execPath, command, { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
    const [code] = await once(child, "close"); // null when a signal ended it
    const report = existsSync(reportPath) ? await readFile(reportPath, "utf8") : undefined;
    if (report === undefined) console.log("The test program left no report: it crashed, or a test ended the process.");
    return totalsOfRun({ exitCode: typeof code === "number" ? code : 1, report });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function listSoakFiles(paths: readonly string[]): Promise<readonly string[]> {
  const lists = await Promise.all(
    paths.map(async (path) => {
      if (path.endsWith(".soak.ts")) return [path];
      const names = await readdir(join(ROOT, path), { recursive: true });
      return names.filter((name) => name.endsWith(".soak.ts")).map((name) => join(path, name));
    }),
  );
  return lists.flat().sort();
}

const totals = await main(process.argv.slice(2));
console.log(formatTotals(totals));
process.exitCode = totals.failed > 0 ? 1 : 0;
