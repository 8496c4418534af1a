import { afterEach, beforeEach, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HoldSlotOptions, MachineSlots } from "./machine-slots.ts";

let folder = "";
const started: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-slots-"));
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/** Slots in the test's folder, whose limit can change. */
function createSlots(start: number | undefined) {
  let limit = start;
  return {
    slots: new MachineSlots({ folder, readLimit: async () => limit }),
    setLimit(next: number | undefined) {
      limit = next;
    },
  };
}

/** Work that holds a slot until `end()`. */
function startWork(slots: MachineSlots, options: Partial<HoldSlotOptions> = {}) {
  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const waits = Promise.withResolvers<number>();
  const work = async (): Promise<string> => {
    begun.resolve();
    await over.promise;
    return "done";
  };
  const signal = new AbortController().signal;
  const result = slots.hold(work, { signal, onWait: waits.resolve, ...options });
  result.catch(() => {});
  return { begun: begun.promise, waits: waits.promise, result, end: over.resolve };
}

/** Starts a process that holds a slot. */
async function startHolder(limit: number): Promise<ChildProcess> {
  const script = join(import.meta.dirname, "fixtures/machine-slot-process.ts");
  const holder = spawn(process.execPath, [script, folder, String(limit)], { stdio: ["ignore", "pipe", "inherit"] });
  started.push(holder);
  await once(holder.stdout, "data");
  return holder;
}

test("work waits while other processes hold all slots, and begins when one of them is killed", async () => {
  const holders = [await startHolder(2), await startHolder(2)];
  const work = startWork(createSlots(2).slots);
  expect(await work.waits).toBe(2);
  holders[0]?.kill("SIGKILL");
  await work.begun;
  work.end();
  expect(await work.result).toBe("done");
}, 30_000);

test("at most the limit is at work, and everybody has a turn", async () => {
  const { slots } = createSlots(3);
  let atWork = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++atWork);
    await new Promise((resolve) => setTimeout(resolve, 1));
    atWork--;
  };
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 9 }, () => slots.hold(work, { signal })));
  expect({ atWork, most: most <= 3 }).toEqual({ atWork: 0, most: true });
});

test("a wait ends with the signal's reason, for the first and for the others of the queue", async () => {
  const { slots } = createSlots(1);
  const holder = startWork(slots);
  await holder.begun;
  const cancels = [new AbortController(), new AbortController()];
  const waiting = cancels.map(({ signal }) => startWork(slots, { signal }));
  await Promise.all(waiting.map(({ waits }) => waits));
  for (const [index, cancel] of cancels.entries()) {
    cancel.abort(new Error(`enough ${index}`));
    await expect(waiting[index]?.result).rejects.toThrow(`enough ${index}`);
  }
  holder.end();
  const next = startWork(slots);
  await next.begun;
  next.end();
  expect(await next.result).toBe("done");
});

test("a raised limit lets waiting work begin", async () => {
  const { slots, setLimit } = createSlots(1);
  const first = startWork(slots);
  await first.begun;
  const second = startWork(slots);
  await second.waits;
  setLimit(2);
  await second.begun;
  setLimit(undefined);
  const third = startWork(slots);
  await third.begun;
  for (const work of [first, second, third]) work.end();
  expect(await Promise.all([first.result, second.result, third.result])).toEqual(["done", "done", "done"]);
});

test("with a lowered limit, work waits until enough of the earlier work has ended", async () => {
  const { slots, setLimit } = createSlots(2);
  const earlier = [startWork(slots), startWork(slots)];
  await Promise.all(earlier.map(({ begun }) => begun));
  setLimit(1);
  earlier[0]?.end();
  await earlier[0]?.result;
  const later = startWork(slots);
  expect(await later.waits).toBe(1);
  earlier[1]?.end();
  await later.begun;
  later.end();
  await later.result;
});

test("work inside of other work does not wait for it, however deep", async () => {
  const { slots } = createSlots(1);
  const outer = startWork(slots);
  await outer.begun;
  const inner = startWork(slots, { inside: "outer" });
  await inner.begun;
  const innermost = startWork(slots, { inside: "inner" });
  await innermost.begun;
  const beside = startWork(slots, { inside: "outer" });
  await beside.waits;
  for (const work of [innermost, inner, beside, outer]) {
    work.end();
    expect(await work.result).toBe("done");
  }
  expect((await readdir(folder)).sort()).toEqual([".guard", "next", "slot-1"]);
});

test("the errors of the work are passed on, and release the slot", async () => {
  const { slots } = createSlots(1);
  const { signal } = new AbortController();
  const fail = async (): Promise<never> => {
    throw new Error("broken");
  };
  await expect(slots.hold(fail, { signal })).rejects.toThrow("broken");
  expect(await slots.hold(async () => "free", { signal })).toBe("free");
});
