import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { survive } from "../fixtures/crash-harness.ts";
import { type CrashReport, planOf } from "../fixtures/crash-process.ts";
import { buildPlan, interpretPlan, plans } from "../fixtures/random-graph.ts";
import { SaverPlaces } from "../fixtures/saver-places.ts";

const places = new SaverPlaces();
afterAll(() => places.cleanUp());

const GRAPH_COUNT = 100;

test(`${GRAPH_COUNT} random graphs reach the right end after a crash at any entry of their journals`, async () => {
  let crashPoints = 0;
  for (const plan of fc.sample(plans, { seed: 7, numRuns: GRAPH_COUNT })) {
    const expected = { ...interpretPlan(plan), violations: [] };
    const settings = { options: { snapshotMinLength: 2_000 } };
    const build = (world: Parameters<typeof buildPlan>[1]) => buildPlan(plan, world);
    const { writeCount } = await survive(build, { ...settings, lives: [] });
    for (let failAfter = 0; failAfter < writeCount; failAfter++) {
      const { fields, status, violations } = await survive(build, { ...settings, lives: [failAfter] });
      expect<object>({ fields, status, violations }).toEqual(expected);
      crashPoints++;
    }
  }
  process.stdout.write(
    `crash points: ${crashPoints}; runs that ended elsewhere: 0; finished nodes that ran twice: 0\n`,
  );
  expect(crashPoints).toBeGreaterThan(2_000);
});

const SCRIPT = join(import.meta.dirname, "../fixtures/crash-process.ts");

/** Runs a process of the run until it ends or dies; returns its output. */
async function live(kind: string, folder: string, seed: number, killAfter: number): Promise<readonly CrashReport[]> {
  const child = places.startScript(process.execPath, [SCRIPT, kind, folder, String(seed), String(killAfter)]);
  const told: CrashReport[] = [];
  for (let report = await child.next(); report !== undefined; report = await child.next()) {
    // The cast is true: the process prints nothing else.
    told.push(report as CrashReport);
  }
  return told;
}

test.each([
  { kind: "file", seed: 48 },
  { kind: "sqlite", seed: 51 },
])("a run on a $kind saver completes although its process is killed after each entry", async ({ kind, seed }) => {
  // In the form in which it comes through a pipe.
  const expected = JSON.parse(JSON.stringify({ ...interpretPlan(planOf(seed)), violations: [] }));
  let kills = 0;
  for (let killAfter = 1; ; killAfter++) {
    const folder = await places.createFolder();
    const dying = await live(kind, folder, seed, killAfter);
    if (dying.some(({ status }) => status !== undefined)) break;
    kills++;
    const told = [...dying, ...(await live(kind, folder, seed, 0))];
    expect(told.map(({ writeCount: _count, ...report }) => report)).toEqual([expected]);
  }
  process.stdout.write(`kill -9 after each of ${kills} entries (${kind}): every run ended as it must\n`);
  expect(kills).toBeGreaterThan(10);
});
