import { join } from "node:path";
import {
  annotation,
  type BaseState,
  type Checkpointer,
  type CompiledGraph,
  defineState,
  type GraphBuilder,
  graph,
  MemorySaver,
  Reducers,
  type RunOptions,
  SqliteSaver,
  type StateSchema,
  toolNode,
  waitNode,
} from "../../../src/graph/index.ts";
import type { PrepareCase, StorageFacts } from "../engine.ts";
import type { Keeping } from "../scenarios.ts";
import {
  type AskingWork,
  type BenchState,
  type BenchUpdate,
  branchResult,
  type FanOutWork,
  listItems,
  listNodeIds,
  type StepsWork,
  type Work,
} from "../workload.ts";

type State = BaseState & BenchState;

/** Runs the work once. */
type RunWork = (options: RunOptions) => Promise<unknown>;

/** Atomic, through its public interface. */
export const prepare: PrepareCase = async ({ work, keeping }, folder) => {
  const runWork = compileWork(work);
  const chooseSaver = saverChooser(work, keeping, folder);
  return {
    run: () => {
      const checkpointer = chooseSaver();
      return runWork(checkpointer === undefined ? {} : { checkpointer });
    },
    storageFacts: () => storageFactsOf(keeping),
    close: () => undefined,
  };
};

function compileWork(work: Work): RunWork {
  switch (work.type) {
    case "steps":
      return compileSteps(work);
    case "fan-out":
      return compileFanOut(work);
    case "asking":
      return compileAsking(work);
  }
}

function compileSteps({ shape, stepCount, firstState, appended, body }: StepsWork): RunWork {
  // The cast is true: the schema declares the fields of the first state.
  const builder = graph(declareState(firstState, appended)) as unknown as GraphBuilder<State>;
  const node = (id: string) =>
    toolNode<State, Readonly<State>, BenchUpdate>({
      id,
      args: (state) => state,
      execute: body,
      outputMapper: (update) => update,
    });
  if (shape === "chain") builder.start(listNodeIds(stepCount).map(node));
  else builder.loop(node("work"), { until: (state) => state.count === stepCount, maxIterations: stepCount });
  const steps: CompiledGraph<State> = builder.end().compile();
  return (options) => steps.execute(firstState, options);
}

/** Fields that are replaced by an update, or appended to. */
function declareState(firstState: BenchState, appended: readonly string[]): StateSchema {
  const fields = Object.entries(firstState).map(([name, value]) => [
    name,
    appended.includes(name) ? annotation<unknown[]>([], Reducers.concat) : annotation(value),
  ]);
  return defineState(Object.fromEntries(fields));
}

/** The results are what nodes without a mapper leave in `outputs`. */
function compileFanOut({ branches, stepCount }: FanOutWork): RunWork {
  if (branches === "dynamic") {
    const items = listItems(stepCount);
    // The cast is true: the items are numbers.
    const node = toolNode({ id: "branch", execute: (_args, { item }) => branchResult(item as number) });
    const map = graph()
      .map(() => items, node, { id: "results" })
      .end()
      .compile();
    return async (options) => (await map.execute({}, options)).outputs.results;
  }
  const ids = listNodeIds(stepCount);
  const nodes = ids.map((id, index) => toolNode({ id, execute: () => branchResult(index) }));
  const parallel = graph().parallel(nodes).end().compile();
  return async (options) => Object.values((await parallel.execute({}, options)).outputs);
}

function compileAsking({ firstState }: AskingWork): RunWork {
  const asking = graph(declareState(firstState, []))
    .start(waitNode({ id: "ask" }))
    .end()
    .compile();
  return (options) => asking.run(firstState, options);
}

/** Memory is given back after each run, unless the run is not over; a database is kept for all of them. */
function saverChooser(work: Work, keeping: Keeping, folder: string): () => Checkpointer | undefined {
  switch (keeping.type) {
    case "nowhere":
      return () => undefined;
    case "memory": {
      const shared = new MemorySaver();
      return () => (work.type === "asking" ? shared : new MemorySaver());
    }
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
