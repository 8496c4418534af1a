import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { failedChecks, formatCheckReport, runChecks } from "./run-checks.ts";
import { filesOfShard, readShard, type Shard, WHOLE } from "./test-shard.ts";
import { addTotals, formatTotals, NO_TESTS, type TestTotals, totalsOfRun } from "./test-totals.ts";

const ROOT = join(import.meta.dirname, "..");
const TEST_FOLDERS = ["src", "scripts", "bench/src"];

/** One kind of tests: which files they are, and how long one of them may take. */
interface Tier {
  readonly endings: readonly string[];
  readonly timeoutMs: number;
  /** The ending of files that run after the others, one at a time, because each keeps the whole machine busy. */
  readonly lastEnding?: string;
  /** Whether its tests often wait for an agent: then one file more than there are processors runs. @default false */
  readonly isWaiting?: boolean;
}

const FAST: Tier = { endings: [".test.ts", ".test.tsx"], timeoutMs: 60_000, isWaiting: true };

/** By flag. Each file runs in a process of its own. */
const TIERS: Readonly<Record<string, Tier>> = {
  "--agents": { endings: [".conformance.ts", ".agents.ts"], timeoutMs: 180_000, isWaiting: true },
  "--conformance": { endings: [".conformance.ts"], timeoutMs: 180_000, isWaiting: true },
  "--attack": { endings: [".attack.ts"], timeoutMs: 600_000, isWaiting: true },
  "--slow": { endings: [".slow.ts", ".slow.tsx"], timeoutMs: 120_000, isWaiting: true },
  "--soak": { endings: [".soak.ts"], timeoutMs: 600_000, lastEnding: "-load.soak.ts" },
};

/**
 * `run-tests.ts [PATH…] [FLAG…]` runs the checks and the fast tests, or only the tests below the given paths; flags go to
 * `bun test` unchanged. With a tier in front ({@link TIERS}) it runs the files of that one; `--shard=K/N` runs the K-th of N
 * parts of them.
 */
async function main(args: readonly string[]): Promise<TestTotals> {
  const [first = "", ...others] = args;
  const tier = TIERS[first];
  const { shard = WHOLE, flags: rest } = tier === undefined ? { flags: args } : readShard(others);
  const firstFlag = rest.findIndex((argument) => argument.startsWith("-"));
  const given = firstFlag === -1 ? rest : rest.slice(0, firstFlag);
  const flags = firstFlag === -1 ? [] : rest.slice(firstFlag);
  const paths = given.length > 0 ? given : TEST_FOLDERS;
  const empty = await pathsWithout(tier ?? FAST, given);
  if (empty.length > 0) {
    const kinds = Object.keys(TIERS).join(", ");
    console.error(`No ${(tier ?? FAST).endings.join(" or ")} at: ${empty.join(", ")}. Other kinds of tests: ${kinds}.`);
    return { ...NO_TESTS, failed: empty.length };
  }
  if (tier !== undefined) {
    return runTier({ tier, shard, paths, flags });
  }
  if (rest.length > 0) return runBunTest(paths, { flags, timeoutMs: FAST.timeoutMs });
  return addTotals(await countChecks(), await runFastTests());
}

/** How many processes run tests of a tier side by side. */
function laneCountOf({ isWaiting = false }: Tier): number {
  return availableParallelism() + (isWaiting ? 1 : 0);
}

interface TierRun {
  readonly tier: Tier;
  readonly shard: Shard;
  readonly paths: readonly string[];
  readonly flags: readonly string[];
}

/** Runs each file of a tier, or of one part of it, in a process of its own. */
async function runTier({ tier, shard, paths, flags }: TierRun): Promise<TestTotals> {
  const { timeoutMs, lastEnding } = tier;
  const files = filesOfShard(await filesOf(tier, paths), shard);
  const isLast = (file: string): boolean => lastEnding !== undefined && file.endsWith(lastEnding);
  const run = (part: readonly string[], laneCount = laneCountOf(tier)) =>
    runInLanes(
      part.map((file) => [file]),
      { flags, timeoutMs, laneCount },
    );
  const last = files.filter(isLast);
  const totals = await run(files.filter((file) => !isLast(file)));
  return last.length === 0 ? totals : addTotals(totals, await run(last, 1));
}

/** How many groups of fast tests each lane runs: more balance the lanes better, and start more processes. */
const GROUPS_PER_LANE = 3;

/** Runs the fast tests, several files in one process. */
async function runFastTests(): Promise<TestTotals> {
  const files = await filesOf(FAST, TEST_FOLDERS);
  const laneCount = laneCountOf(FAST);
  const count = laneCount * GROUPS_PER_LANE;
  // Neighbouring files take about the same time, so they go to different groups.
  const groups = Array.from({ length: count }, (_, group) => files.filter((_file, index) => index % count === group));
  return runInLanes(groups, { flags: [], timeoutMs: FAST.timeoutMs, laneCount });
}

interface TestOptions {
  readonly flags: readonly string[];
  readonly timeoutMs: number;
}

interface LaneOptions extends TestOptions {
  readonly laneCount: number;
}

/** How long a group of files took. */
interface GroupTime {
  readonly group: readonly string[];
  readonly seconds: number;
}

/** How many of the slowest files are listed. */
const SLOWEST_COUNT = 12;

function secondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 1_000);
}

/** The slowest files, to see where the time of a tier goes. */
function formatSlowest(times: readonly GroupTime[]): string {
  const slowest = [...times].sort((left, right) => right.seconds - left.seconds).slice(0, SLOWEST_COUNT);
  return ["The slowest files:", ...slowest.map(({ group, seconds }) => `  ${seconds} s  ${group.join(" ")}`)].join(
    "\n",
  );
}

/** Runs each group of files in a process of its own, some side by side. */
async function runInLanes(
  groups: readonly (readonly string[])[],
  { laneCount, ...options }: LaneOptions,
): Promise<TestTotals> {
  const startedAt = performance.now();
  const waiting = [...groups];
  const times: GroupTime[] = [];
  const runLane = async (): Promise<TestTotals> => {
    let totals = NO_TESTS;
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const groupStartedAt = performance.now();
      totals = addTotals(totals, await runBunTest(group, { ...options, isHeldBack: true }));
      times.push({ group, seconds: secondsSince(groupStartedAt) });
    }
    return totals;
  };
  const totals = await Promise.all(Array.from({ length: laneCount }, runLane));
  if (groups.length > 1 && groups.every((group) => group.length === 1)) console.log(formatSlowest(times));
  console.log(`${groups.flat().length} files took ${secondsSince(startedAt)} s, ${laneCount} side by side.`);
  return totals.reduce(addTotals, NO_TESTS);
}

/** Runs the checks; each counts as one test. */
async function countChecks(): Promise<TestTotals> {
  const reports = await runChecks(ROOT);
  for (const report of reports) console.log(formatCheckReport(report));
  const failed = failedChecks(reports).length;
  return { passed: reports.length - failed, failed, skipped: 0 };
}

interface BunTestOptions extends TestOptions {
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

/** The files of a tier below the paths. */
async function filesOf({ endings }: Tier, paths: readonly string[]): Promise<readonly string[]> {
  return (await Promise.all(endings.map((ending) => listFiles(paths, ending)))).flat();
}

/** Paths without a file of the tier: misspelled paths, and files of another tier. */
async function pathsWithout(tier: Tier, paths: readonly string[]): Promise<readonly string[]> {
  const counts = await Promise.all(paths.map(async (path) => (await filesOf(tier, [path])).length));
  return paths.filter((_path, index) => counts[index] === 0);
}

/** The files of an ending below the paths, by name. */
async function listFiles(paths: readonly string[], ending: string): Promise<readonly string[]> {
  const lists = await Promise.all(
    paths.map(async (path) => {
      const found = await stat(join(ROOT, path)).catch(() => undefined);
      if (!found?.isDirectory()) return found !== undefined && path.endsWith(ending) ? [path] : [];
      const names = await readdir(join(ROOT, path), { recursive: true });
      return names.filter((name) => name.endsWith(ending)).map((name) => join(path, name));
    }),
  );
  return lists.flat().sort();
}

const totals = await main(process.argv.slice(2));
console.log(formatTotals(totals));
process.exitCode = totals.failed > 0 ? 1 : 0;
