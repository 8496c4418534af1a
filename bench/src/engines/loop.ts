import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { nameSynchronous, type PrepareCase, type PreparedCase } from "../engine.ts";
import type { Keeping } from "../scenarios.ts";
import {
  type CounterState,
  type CounterUpdate,
  FIRST_STATE,
  NODE_BODIES,
  NODE_COUNT,
  type NodeBody,
} from "../workload.ts";

/** Keeps the result of a step; step 0 is the input. */
type KeepStep = (run: number, step: number, update: object) => void;

/** What one would write without any engine: the floor that the others are compared with. */
export const prepare: PrepareCase = async ({ body, keeping }, folder) => {
  switch (keeping.type) {
    case "nowhere":
      return body === "plain" ? prepareSync() : prepareAsync();
    case "memory":
      return prepareMemory();
    case "sqlite":
      return await prepareSqlite(keeping, folder);
  }
};

const UNSTORED = { storageFacts: () => undefined, close: () => undefined };

function prepareSync(): PreparedCase {
  const nodes = Array.from({ length: NODE_COUNT }, () => NODE_BODIES.plain);
  return { ...UNSTORED, run: () => runSteps(nodes) };
}

function prepareAsync(): PreparedCase {
  const nodes: readonly NodeBody[] = Array.from({ length: NODE_COUNT }, () => NODE_BODIES.async);
  const run = async (): Promise<CounterState> => {
    let state = FIRST_STATE;
    for (const node of nodes) state = { ...state, ...(await node(state)) };
    return state;
  };
  return { ...UNSTORED, run };
}

function prepareMemory(): PreparedCase {
  const nodes = Array.from({ length: NODE_COUNT }, () => NODE_BODIES.plain);
  const run = (): CounterState => {
    const steps: object[] = [FIRST_STATE];
    return runSteps(nodes, (update) => void steps.push(update));
  };
  return { ...UNSTORED, run };
}

async function prepareSqlite(keeping: Extract<Keeping, { type: "sqlite" }>, folder: string): Promise<PreparedCase> {
  // Imported late: Node 20 has no node:sqlite, and runs the other cases.
  const { DatabaseSync: Database } = await import("node:sqlite");
  const database: DatabaseSync = new Database(join(folder, "loop.db"));
  database.exec("PRAGMA journal_mode = WAL");
  database.exec(`PRAGMA synchronous = ${keeping.durability === "every-step" ? "FULL" : "NORMAL"}`);
  database.exec("CREATE TABLE steps (run INTEGER, step INTEGER, body TEXT, PRIMARY KEY (run, step)) WITHOUT ROWID");
  const insert = database.prepare("INSERT INTO steps VALUES (?, ?, ?)");
  const keepStep: KeepStep = (run, step, update) => void insert.run(run, step, JSON.stringify(update));
  const nodes = Array.from({ length: NODE_COUNT }, () => NODE_BODIES.plain);
  const counter = { runs: 0 };
  const run = (): CounterState => {
    const number = ++counter.runs;
    keepStep(number, 0, FIRST_STATE);
    return runSteps(nodes, (update, step) => keepStep(number, step, update));
  };
  const storageFacts = () => ({
    driver: "node:sqlite",
    journalMode: String(database.prepare("PRAGMA journal_mode").get()?.journal_mode),
    synchronous: nameSynchronous(database.prepare("PRAGMA synchronous").get()?.synchronous),
  });
  return { run, storageFacts, close: () => database.close() };
}

function runSteps(
  nodes: readonly ((state: CounterState) => CounterUpdate)[],
  keep?: (update: CounterUpdate, step: number) => void,
): CounterState {
  let state = FIRST_STATE;
  let step = 0;
  for (const node of nodes) {
    const update = node(state);
    state = { ...state, ...update };
    keep?.(update, ++step);
  }
  return state;
}
