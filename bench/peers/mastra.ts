import { join } from "node:path";
import { Mastra } from "@mastra/core";
import { InMemoryStore, type MastraCompositeStore } from "@mastra/core/storage";
import { type AnyWorkflow, createStep, createWorkflow } from "@mastra/core/workflows";
import { LibSQLStore } from "@mastra/libsql";
import { z } from "zod";
import { nameSynchronous, type PrepareCase, type StorageFacts, UNSTORED } from "../src/engine.ts";
import type { Keeping } from "../src/scenarios.ts";
import {
  type AskingWork,
  type BenchState,
  branchResult,
  type FanOutWork,
  listItems,
  listNodeIds,
  type StepsWork,
  type Work,
} from "../src/workload.ts";

/** A workflow and what a run of it begins with. */
interface CompiledWork {
  readonly workflow: AnyWorkflow;
  start(): object;
  readResult(ended: Ended): unknown;
}

/** What is read of a run's end. */
interface Ended {
  readonly status: string;
  readonly error?: unknown;
  readonly result?: unknown;
  readonly state?: unknown;
}

/** Where a case's runs are kept. */
interface Storage {
  readonly store: MastraCompositeStore | undefined;
  storageFacts(): StorageFacts | undefined;
  close(): void | Promise<void>;
}

/** Nothing is validated, as in the other engines. */
const ANYTHING = z.any();
const UNCHECKED = { inputSchema: ANYTHING, outputSchema: ANYTHING, stateSchema: ANYTHING };

/**
 * Mastra with its own stores and all its own defaults. The state is that of the workflow: handed from step to step, as
 * inputs and outputs, a snapshot would hold it twice for every step.
 */
export const prepare: PrepareCase = async ({ work, keeping }, folder) => {
  const { workflow, start, readResult } = compileWork(work);
  const { store, storageFacts, close } = await openStorage(keeping, folder);
  const mastra = store && new Mastra({ storage: store, workflows: { work: workflow }, logger: false });
  const runnable = mastra === undefined ? workflow : mastra.getWorkflow("work");
  return {
    run: async () => {
      const run = await runnable.createRun();
      // The casts are true: what is started with fits the workflow, and every result has these fields.
      const ended = (await run.start(start() as never)) as Ended;
      if (work.type === "asking") return { run, ended };
      if (ended.status !== "success") throw new Error(`The run ended ${ended.status}: ${String(ended.error)}`);
      return readResult(ended);
    },
    storageFacts,
    close,
  };
};

function compileWork(work: Work): CompiledWork {
  switch (work.type) {
    case "steps":
      return compileSteps(work);
    case "fan-out":
      return compileFanOut(work);
    case "asking":
      return compileAsking(work);
  }
}

// Where nothing is validated, everything is of any type: the casts below say what the work's own functions give.
function compileSteps({ shape, stepCount, firstState, appended, body }: StepsWork): CompiledWork {
  const combine = (state: BenchState, update: BenchState): BenchState => {
    const next: Record<string, unknown> & BenchState = { ...state, ...update };
    // The casts are true: appended fields hold lists.
    for (const field of appended) {
      next[field] = [...(state[field] as readonly unknown[]), ...(update[field] as readonly unknown[])];
    }
    return next;
  };
  const step = (id: string) =>
    createStep({
      ...UNCHECKED,
      id,
      execute: async ({ state, setState }) => {
        await setState(combine(state, await body(state)));
        return {};
      },
    });
  const builder = createWorkflow({ ...UNCHECKED, id: "work" });
  const built =
    shape === "loop"
      ? builder.dountil(step("work"), async ({ state }) => (state as BenchState).count === stepCount)
      : listNodeIds(stepCount).reduce<AnyWorkflow>((chain, id) => chain.then(step(id)), builder);
  return {
    workflow: (built as AnyWorkflow).commit(),
    // Mastra writes into the object that it is given.
    start: () => ({ inputData: {}, initialState: { ...firstState }, outputOptions: { includeState: true } }),
    readResult: ({ state }) => state,
  };
}

function compileFanOut({ branches, stepCount }: FanOutWork): CompiledWork {
  const builder = createWorkflow({ ...UNCHECKED, id: "work" });
  if (branches === "dynamic") {
    const items = listItems(stepCount);
    const branch = createStep({
      ...UNCHECKED,
      id: "branch",
      execute: async ({ inputData }) => branchResult(inputData),
    });
    const workflow = builder.foreach(branch, { concurrency: stepCount }).commit();
    return { workflow, start: () => ({ inputData: items }), readResult: ({ result }) => result };
  }
  const steps = listNodeIds(stepCount).map((id, index) =>
    createStep({ ...UNCHECKED, id, execute: async () => branchResult(index) }),
  );
  const workflow = builder.parallel(steps).commit();
  return { workflow, start: () => ({ inputData: {} }), readResult: ({ result }) => Object.values(result ?? {}) };
}

function compileAsking({ firstState }: AskingWork): CompiledWork {
  const ask = createStep({
    ...UNCHECKED,
    id: "ask",
    suspendSchema: ANYTHING,
    resumeSchema: ANYTHING,
    execute: async ({ suspend }) => await suspend({ question: "Continue?" }),
  });
  const workflow = createWorkflow({ ...UNCHECKED, id: "work" })
    .then(ask)
    .commit();
  return {
    workflow,
    start: () => ({ inputData: {}, initialState: { ...firstState } }),
    readResult: ({ state }) => state,
  };
}

async function openStorage(keeping: Keeping, folder: string): Promise<Storage> {
  switch (keeping.type) {
    case "nowhere":
      return { ...UNSTORED, store: undefined };
    case "memory":
      return { ...UNSTORED, store: new InMemoryStore() };
    case "sqlite": {
      const store = new LibSQLStore({ id: "bench", url: `file:${join(folder, "mastra.db")}` });
      await store.init();
      const facts = await readFacts(store);
      return { store, storageFacts: () => facts, close: () => store.close() };
    }
  }
}

async function readFacts(store: LibSQLStore): Promise<StorageFacts> {
  interface Client {
    execute(sql: string): Promise<{ readonly rows: readonly object[] }>;
  }
  // The cast is true: the store keeps its connection there. Settings are those of a connection.
  const { client } = store as unknown as { readonly client: Client };
  const read = async (name: string): Promise<unknown> =>
    Object.values((await client.execute(`PRAGMA ${name}`)).rows[0] ?? {})[0];
  const journalMode = String(await read("journal_mode"));
  return { driver: "libsql", journalMode, synchronous: nameSynchronous(await read("synchronous")) };
}
