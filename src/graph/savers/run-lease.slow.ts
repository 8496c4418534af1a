import { afterAll, afterEach, describe, expect, setSystemTime, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { identifyThisProcess } from "../../system/index.ts";
import { RunLockedError } from "../errors/errors.ts";
import { SaverPlaces } from "../fixtures/saver-places.ts";
import { rejectionOf } from "../fixtures/test-nodes.ts";
import { RunLeases } from "./run-lease.ts";

const places = new SaverPlaces();
afterEach(() => void setSystemTime());
afterAll(() => places.cleanUp());

const own = await identifyThisProcess();
const OTHER_MACHINE = "0123456789ab";

/** The folder of claims, with a claim in it that somebody else has made. */
async function createClaim(claim: {
  readonly processId?: number;
  readonly startedAt?: string;
  readonly machine?: string;
  readonly ageMs?: number;
}) {
  const { processId = own.processId, startedAt = own.startedAt, machine = own.machine, ageMs = 0 } = claim;
  const folder = join(await places.createFolder(), "claims");
  await mkdir(folder);
  const name = `r@000000001-0000000001-0000.${processId}.${startedAt}.${machine}`;
  await writeFile(join(folder, name), "somebody\n");
  const touchedAt = new Date(Date.now() - ageMs);
  await utimes(join(folder, name), touchedAt, touchedAt);
  return { folder, name, leases: new RunLeases({ folder }) };
}

describe("a lease", () => {
  test("is a file that names its owner, as long as it is held", async () => {
    const folder = join(await places.createFolder(), "claims");
    const lease = await new RunLeases({ folder, owner: "me" }).acquire("a/b");
    const [name = ""] = await readdir(folder);
    expect(name).toMatch(new RegExp(`^a%2fb@[0-9a-z-]+\\.${process.pid}\\.${own.startedAt}\\.${own.machine}$`));
    expect(await Bun.file(join(folder, name)).text()).toBe("me\n");
    lease.confirm();
    await lease.release();
    await lease.release();
    expect(existsSync(folder)).toBe(false);
  });

  test.each([
    { title: "of a process that lives", claim: {} },
    { title: "of another computer that was heard of", claim: { machine: OTHER_MACHINE, ageMs: 25_000 } },
    { title: "of a process whose start is unknown", claim: { startedAt: "", ageMs: 25_000 } },
    { title: "of a process of which nothing is known", claim: { processId: 0, startedAt: "", ageMs: 25_000 } },
  ])("$title is respected", async ({ claim }) => {
    const { leases, folder, name } = await createClaim(claim);
    expect(await leases.isHeld("r")).toBe(true);
    expect(await rejectionOf(leases.acquire("r"))).toEqual(new RunLockedError("r", "somebody"));
    expect(await readdir(folder)).toEqual([name]);
  });

  test.each([
    { title: "of a process that is gone", claim: { processId: 2 ** 22 + 1 } },
    { title: "of a process whose id is another's by now", claim: { startedAt: "1" } },
    { title: "of another computer not heard of for 30 seconds", claim: { machine: OTHER_MACHINE, ageMs: 31_000 } },
    { title: "of a process whose start is unknown, not heard of", claim: { startedAt: "", ageMs: 31_000 } },
  ])("$title is taken over", async ({ claim }) => {
    const { leases, folder, name } = await createClaim(claim);
    expect(await leases.isHeld("r")).toBe(false);
    expect(await readdir(folder)).toEqual([name]);
    const lease = await leases.acquire("r");
    expect(await readdir(folder)).not.toContain(name);
    expect(await leases.isHeld("r")).toBe(true);
    await lease.release();
  });

  test("does not mind other files in its folder", async () => {
    const { leases, folder } = await createClaim({ machine: OTHER_MACHINE, ageMs: 31_000 });
    await writeFile(join(folder, "r@something"), "");
    await (await leases.acquire("r")).release();
    expect(await readdir(folder)).toEqual(["r@something"]);
  });

  test("that another one took while this process slept is not relied on", async () => {
    const folder = join(await places.createFolder(), "claims");
    const lease = await new RunLeases({ folder }).acquire("r");
    setSystemTime(Date.now() + 3_600_000);
    lease.confirm();
    const [name = ""] = await readdir(folder);
    await Bun.file(join(folder, name)).delete();
    setSystemTime(Date.now() + 3_600_000);
    expect(() => lease.confirm()).toThrow(new RunLockedError("r"));
    await lease.release();
  });

  test("is had by each of several runs, while others remove their common folder", async () => {
    const folder = join(await places.createFolder(), "claims");
    const leases = new RunLeases({ folder });
    const live = async (runId: string): Promise<void> => {
      for (let round = 0; round < 300; round++) await (await leases.acquire(runId)).release();
    };
    await Promise.all(["a", "b", "c", "d", "e", "f"].map(live));
    expect(existsSync(folder)).toBe(false);
  });

  test("is had by one at a time among processes that fight for it and are killed", async () => {
    const { told, end } = await fight({ processes: 3, kills: 10 });
    expect(told).toEqual(told.map(() => "had"));
    expect(await end()).toBe(false);
  });
});

/** Has processes fight for a run, and kills one after the other, each replaced, whenever some have had it. */
async function fight({ processes, kills }: { readonly processes: number; readonly kills: number }) {
  const folder = await places.createFolder();
  const script = join(import.meta.dirname, "../fixtures/lease-process.ts");
  const told: unknown[] = [];
  let heard = Promise.withResolvers<void>();
  const start = () => {
    const child = places.startScript(process.execPath, [script, folder]);
    void (async () => {
      for (let message = await child.next(); message !== undefined; message = await child.next()) {
        told.push(message);
        heard.resolve();
        heard = Promise.withResolvers<void>();
      }
    })();
    return child;
  };
  const running = Array.from({ length: processes }, start);
  for (let kill = 0; kill < kills; kill++) {
    const enough = told.length + 3 + (kill % 4);
    while (told.length < enough) await heard.promise;
    await running.shift()?.kill();
    running.push(start());
  }
  for (const child of running) await child.kill();
  return { told, end: () => new RunLeases({ folder: join(folder, "claims") }).isHeld("r") };
}
