import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { nameSynchronous, type PrepareCase, type PreparedCase, UNSTORED } from "../engine.ts";
import type { Keeping } from "../scenarios.ts";
import {
  type AskingWork,
  type BenchState,
  type BenchUpdate,
  branchResult,
  type FanOutWork,
  listItems,
  type StepsWork,
  type Work,
} from "../workload.ts";

/** Keeps the result of a step; step 0 is the input. */
type KeepStep = (step: number, update: object) => void;

/** What one would write without any engine: the floor that the others are compared with. */
export const prepare: PrepareCase = async ({ work, keeping }, folder) => {
  switch (keeping.type) {
    case "nowhere":
      return { ...UNSTORED, run: () => runWork(work, () => undefined) };
    case "memory":
      return { ...UNSTORED, run: () => runInMemory(work) };
    case "sqlite":
      return await prepareSqlite(work, keeping, folder);
  }
};

function runWork(work: Work, keep: KeepStep): unknown {
  switch (work.type) {
    case "steps":
      return runSteps(work, keep);
    case "fan-out":
      return runBranches(work);
    case "asking":
      return ask(work, keep);
  }
}

/** Waits only where a step does. */
function runSteps(work: StepsWork, keep: KeepStep): BenchState | Promise<BenchState> {
  const { stepCount, firstState, body } = work;
  keep(0, firstState);
  let state = firstState;
  for (let step = 1; step <= stepCount; step++) {
    const update = body(state);
    if (update instanceof Promise) return goOnAsync(work, keep, { state, step, update });
    state = combine(work, state, update);
    keep(step, update);
  }
  return state;
}

async function goOnAsync(
  work: StepsWork,
  keep: KeepStep,
  from: { readonly state: BenchState; readonly step: number; readonly update: Promise<BenchUpdate> },
): Promise<BenchState> {
  let { state } = from;
  let update = await from.update;
  for (let { step } = from; ; step++) {
    state = combine(work, state, update);
    keep(step, update);
    if (step === work.stepCount) return state;
    update = await work.body(state);
  }
}

function combine({ appended }: StepsWork, state: BenchState, update: BenchUpdate): BenchState {
  const next: Record<string, unknown> & BenchState = { ...state, ...update };
  // The casts are true: appended fields hold lists.
  for (const field of appended) {
    next[field] = [...(state[field] as readonly unknown[]), ...(update[field] as readonly unknown[])];
  }
  return next;
}

async function runBranches({ stepCount }: FanOutWork): Promise<readonly number[]> {
  return await Promise.all(listItems(stepCount).map(async (item) => branchResult(item)));
}

/** What has to be held until the answer comes: the state, and who waits. */
function ask({ firstState }: AskingWork, keep: KeepStep): object {
  keep(0, firstState);
  const { promise, resolve } = Promise.withResolvers<string>();
  return { state: { ...firstState }, promise, answer: resolve };
}

function runInMemory(work: Work): unknown {
  const steps: object[] = [];
  const result = runWork(work, (_step, update) => void steps.push(update));
  return work.type === "asking" ? { result, steps } : result;
}

async function prepareSqlite(
  work: Work,
  keeping: Extract<Keeping, { type: "sqlite" }>,
  folder: string,
): Promise<PreparedCase> {
  // Imported late: Node 20 has no node:sqlite, and runs the other cases.
  const { DatabaseSync: Database } = await import("node:sqlite");
  const database: DatabaseSync = new Database(join(folder, "loop.db"));
  database.exec("PRAGMA journal_mode = WAL");
  database.exec(`PRAGMA synchronous = ${keeping.durability === "every-step" ? "FULL" : "NORMAL"}`);
  database.exec("CREATE TABLE steps (run INTEGER, step INTEGER, body TEXT, PRIMARY KEY (run, step)) WITHOUT ROWID");
  const insert = database.prepare("INSERT INTO steps VALUES (?, ?, ?)");
  const counter = { runs: 0 };
  const run = (): unknown => {
    const number = ++counter.runs;
    return runWork(work, (step, update) => void insert.run(number, step, JSON.stringify(update)));
  };
  const storageFacts = () => ({
    driver: "node:sqlite",
    journalMode: String(database.prepare("PRAGMA journal_mode").get()?.journal_mode),
    synchronous: nameSynchronous(database.prepare("PRAGMA synchronous").get()?.synchronous),
  });
  return { run, storageFacts, close: () => database.close() };
}
