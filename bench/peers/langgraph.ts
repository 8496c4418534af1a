import { join } from "node:path";
import { Annotation, END, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { nameSynchronous, type PrepareCase, type StorageFacts } from "../src/engine.ts";
import type { Keeping } from "../src/scenarios.ts";
import { FIRST_STATE, NODE_BODIES, NODE_IDS } from "../src/workload.ts";
import { type OpenDatabase, openDatabase } from "./langgraph-database.ts";

const State = Annotation.Root({ count: Annotation<number>, text: Annotation<string> });

/** Where a case's runs are kept. */
interface Storage {
  /** Memory is given back after each run; a database is kept for all of them. */
  chooseSaver(): BaseCheckpointSaver | undefined;
  storageFacts(): StorageFacts | undefined;
  close(): void;
}

/** LangGraph.js with its own savers and all its own defaults, but for a recursion limit that lets the chain end. */
export const prepare: PrepareCase = async ({ body, keeping }, folder) => {
  const builder = new StateGraph(State);
  for (const id of NODE_IDS) builder.addNode(id, NODE_BODIES[body]);
  const stops = [START, ...NODE_IDS, END];
  for (const [index, id] of stops.slice(1).entries()) {
    // The casts are true at run time: the types only know names that were added in one chained expression.
    builder.addEdge(stops[index] as typeof START, id as typeof END);
  }
  const chain = builder.compile();
  const { chooseSaver, storageFacts, close } = await openStorage(keeping, folder);
  const counter = { runs: 0 };
  return {
    run: async () => {
      const checkpointer = chooseSaver();
      if (checkpointer !== undefined) chain.checkpointer = checkpointer;
      const configurable = { thread_id: String(++counter.runs) };
      return await chain.invoke(FIRST_STATE, { configurable, recursionLimit: NODE_IDS.length + 10 });
    },
    storageFacts,
    close,
  };
};

async function openStorage(keeping: Keeping, folder: string): Promise<Storage> {
  const unstored = { storageFacts: () => undefined, close: () => undefined };
  switch (keeping.type) {
    case "nowhere":
      return { ...unstored, chooseSaver: () => undefined };
    case "memory":
      return { ...unstored, chooseSaver: () => new MemorySaver() };
    case "sqlite": {
      const { database, driver } = await openDatabase(join(folder, "langgraph.db"));
      const saver = new SqliteSaver(database);
      return {
        chooseSaver: () => saver,
        storageFacts: () => readFacts(database, driver),
        close: () => database.close(),
      };
    }
  }
}

function readFacts(database: OpenDatabase["database"], driver: string): StorageFacts {
  const journalMode = String(database.pragma("journal_mode", { simple: true }));
  return { driver, journalMode, synchronous: nameSynchronous(database.pragma("synchronous", { simple: true })) };
}
