import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, open, readdir, readFile, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { failedChecks, formatCheckReport, runChecks } from "./run-checks.ts";
import { addTotals, formatTotals, NO_TESTS, type TestTotals, totalsOfRun } from "./test-totals.ts";

const ROOT = join(import.meta.dirname, "..");
const TEST_FOLDERS = ["src", "scripts", "bench/src"];
/** Tests that mostly wait for a vendor's program: they run beside all the others. */
const AGENT_FOLDERS = ["claude", "copilot", "opencode", "acp"].map((vendor) => `src/clients/${vendor}/`);
const TEST_TIMEOUT_MS = 60_000;
const SOAK_TIMEOUT_MS = 600_000;

/**
 * `run-tests.ts [PATH…] [FLAG…]` runs the checks and all tests, or only the tests below the given paths; flags go to
 * `bun test` unchanged. `run-tests.ts --soak [PATH…]` runs the `*.soak.ts` files, `--conformance` the `*.conformance.ts`,
 * `--attack` the `*.attack.ts`.
 */
async function main(args: readonly string[]): Promise<TestTotals> {
  const [kind] = args;
  const isSpecial = kind === "--soak" || kind === "--conformance" || kind === "--attack";
  const rest = isSpecial ? args.slice(1) : args;
  const firstFlag = rest.findIndex((argument) => argument.startsWith("-"));
  const given = firstFlag === -1 ? rest : rest.slice(0, firstFlag);
  const flags = firstFlag === -1 ? [] : rest.slice(firstFlag);
  const paths = given.length > 0 ? given : TEST_FOLDERS;
  if (kind === "--soak") {
    const files = await listFiles(paths, ".soak.ts");
    return files.length === 0 ? NO_TESTS : runBunTest(files, { flags, timeoutMs: SOAK_TIMEOUT_MS });
  }
  if (kind === "--conformance") {
    return runSuites(await listFiles(paths, ".conformance.ts"), { flags, timeoutMs: TEST_TIMEOUT_MS });
  }
  if (kind === "--attack") {
    return runSuites(await listFiles(paths, ".attack.ts"), { flags, timeoutMs: SOAK_TIMEOUT_MS });
  }
  if (rest.length > 0) return runBunTest(paths, { flags, timeoutMs: TEST_TIMEOUT_MS });
  return addTotals(await countChecks(), await runAllTests());
}

/** Runs the suite of each agent in a process of its own, some side by side, and tells how long all took. */
async function runSuites(files: readonly string[], { flags, timeoutMs }: BunTestOptions): Promise<TestTotals> {
  const startedAt = performance.now();
  const waiting = [...files];
  const runLane = async (): Promise<TestTotals> => {
    let totals = NO_TESTS;
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      totals = addTotals(totals, await runBunTest([file], { flags, timeoutMs, isHeldBack: true }));
    }
    return totals;
  };
  const totals = await Promise.all(Array.from({ length: availableParallelism() }, runLane));
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`The suites of ${files.length} agents took ${seconds} s on ${availableParallelism()} cores.`);
  return totals.reduce(addTotals, NO_TESTS);
}

/** Runs the tests of the vendors' agents beside all others, and shows what they said when those are through. */
async function runAllTests(): Promise<TestTotals> {
  const files = await listFiles(TEST_FOLDERS, ".test.ts");
  const isOfAgent = (file: string) => AGENT_FOLDERS.some((folder) => file.startsWith(folder));
  const ofAgents = runBunTest(files.filter(isOfAgent), { flags: [], timeoutMs: TEST_TIMEOUT_MS, isHeldBack: true });
  const others = await runBunTest(
    files.filter((file) => !isOfAgent(file)),
    { flags: [], timeoutMs: TEST_TIMEOUT_MS },
  );
  return addTotals(others, await ofAgents);
}

/** Runs the checks; each counts as one test. */
async function countChecks(): Promise<TestTotals> {
  const reports = await runChecks(ROOT);
  for (const report of reports) console.log(formatCheckReport(report));
  const failed = failedChecks(reports).length;
  return { passed: reports.length - failed, failed, skipped: 0 };
}

interface BunTestOptions {
  readonly flags: readonly string[];
  readonly timeoutMs: number;
  /** Shows the output at the end, in one piece. @default false */
  readonly isHeldBack?: boolean;
}

async function runBunTest(
  paths: readonly string[],
  { flags, timeoutMs, isHeldBack = false }: BunTestOptions,
): Promise<TestTotals> {
  const folder = await mkdtemp(join(tmpdir(), "atomic-test-report-"));
  try {
    const reportPath = join(folder, "junit.xml");
    const reportFlags = ["--reporter=junit", `--reporter-outfile=${reportPath}`];
    const filters = paths.map((path) => `./${relative(ROOT, join(ROOT, path))}`); // "./" makes it a path, not a pattern
    const command = ["test", `--timeout=${timeoutMs}`, ...reportFlags, ...flags, ...filters];
    const outputPath = join(folder, "output.txt");
    const output = isHeldBack ? await open(outputPath, "w") : undefined;
    const stream = output?.fd ?? "inherit";
    const child = spawn(process.execPath, command, { cwd: ROOT, stdio: ["ignore", stream, stream] });
    const [code] = await once(child, "close"); // null when a signal ended it
    await output?.close();
    if (isHeldBack) console.log(await readFile(outputPath, "utf8"));
    const report = existsSync(reportPath) ? await readFile(reportPath, "utf8") : undefined;
    if (report === undefined) console.log("The test program left no report: it crashed, or a test ended the process.");
    return totalsOfRun({ exitCode: typeof code === "number" ? code : 1, report });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function listFiles(paths: readonly string[], ending: string): Promise<readonly string[]> {
  const lists = await Promise.all(
    paths.map(async (path) => {
      if (path.endsWith(ending)) return [path];
      const names = await readdir(join(ROOT, path), { recursive: true });
      return names.filter((name) => name.endsWith(ending)).map((name) => join(path, name));
    }),
  );
  return lists.flat().sort();
}

const totals = await main(process.argv.slice(2));
console.log(formatTotals(totals));
process.exitCode = totals.failed > 0 ? 1 : 0;
