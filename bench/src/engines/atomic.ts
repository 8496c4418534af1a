import { join } from "node:path";
import {
  annotation,
  type Checkpointer,
  defineState,
  graph,
  MemorySaver,
  SqliteSaver,
  type StateOf,
  toolNode,
} from "../../../src/graph/index.ts";
import type { PrepareCase, StorageFacts } from "../engine.ts";
import type { Keeping } from "../scenarios.ts";
import { type CounterUpdate, FIRST_STATE, NODE_BODIES, NODE_IDS } from "../workload.ts";

const State = defineState({ count: annotation(0), text: annotation("") });
type State = StateOf<typeof State>;

/** Atomic, through its public interface. */
export const prepare: PrepareCase = async ({ body, keeping }, folder) => {
  const nodes = NODE_IDS.map((id) =>
    toolNode<State, Readonly<State>, CounterUpdate>({
      id,
      args: (state) => state,
      execute: NODE_BODIES[body],
      outputMapper: (update) => update,
    }),
  );
  const chain = graph(State).start(nodes).end().compile();
  const chooseSaver = saverChooser(keeping, folder);
  return {
    run: async () => {
      const checkpointer = chooseSaver();
      return await chain.execute(FIRST_STATE, checkpointer === undefined ? {} : { checkpointer });
    },
    storageFacts: () => storageFactsOf(keeping),
    close: () => undefined,
  };
};

/** Memory is given back after each run; a database is kept for all of them. */
function saverChooser(keeping: Keeping, folder: string): () => Checkpointer | undefined {
  switch (keeping.type) {
    case "nowhere":
      return () => undefined;
    case "memory":
      return () => new MemorySaver();
    case "sqlite": {
      const saver = new SqliteSaver({
        path: join(folder, "atomic.db"),
        durability: keeping.durability ?? "every-step",
      });
      return () => saver;
    }
  }
}

/** The saver has its connection to itself; these are the settings that its documentation promises. */
function storageFactsOf(keeping: Keeping): StorageFacts | undefined {
  if (keeping.type !== "sqlite") return undefined;
  const synchronous = keeping.durability === "on-checkpoint" ? "NORMAL" : "FULL";
  return { driver: "node:sqlite", journalMode: "wal", synchronous };
}
