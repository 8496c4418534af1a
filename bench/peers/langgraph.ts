import { join } from "node:path";
import {
  Annotation,
  type AnnotationRoot,
  END,
  interrupt,
  MemorySaver,
  Send,
  START,
  type StateDefinition,
  StateGraph,
} from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
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
import { type OpenDatabase, openDatabase } from "./langgraph-database.ts";

/** Where a case's runs are kept. */
interface Storage {
  /** Memory is released after each finished run; a database is kept for all runs. */
  chooseSaver(): BaseCheckpointSaver | undefined;
  storageFacts(): StorageFacts | undefined;
  close(): void;
}

/** What is used of a compiled graph; its own type depends on every node's name. */
interface Runnable {
  checkpointer?: BaseCheckpointSaver | boolean;
  invoke(input: object, config: object): Promise<unknown>;
}

/** A graph and the input of its runs. */
interface CompiledWork {
  readonly runnable: Runnable;
  readonly input: object;
  readResult(state: unknown): unknown;
}

/** LangGraph.js with its own savers and defaults, except for a recursion limit that allows all steps. */
export const prepare: PrepareCase = async ({ work, keeping }, folder) => {
  const { runnable, input, readResult } = compileWork(work);
  const { chooseSaver, storageFacts, close } = await openStorage(work, keeping, folder);
  const counter = { runs: 0 };
  return {
    run: async () => {
      const checkpointer = chooseSaver();
      if (checkpointer !== undefined) runnable.checkpointer = checkpointer;
      const configurable = { thread_id: String(++counter.runs) };
      return readResult(await runnable.invoke(input, { configurable, recursionLimit: work.stepCount + 10 }));
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

function compileSteps({ shape, stepCount, firstState, appended, body }: StepsWork): CompiledWork {
  const builder = createBuilder(declareState(firstState, appended));
  if (shape === "loop") {
    builder.addNode("work", body);
    builder.addEdge(START, "work");
    builder.addConditionalEdges("work", ({ count }) => (count === stepCount ? END : "work"));
  } else addChain(builder, listNodeIds(stepCount), body);
  return { runnable: builder.compile(), input: firstState, readResult: (state) => state };
}

/** What is used of a builder; its own type only knows nodes that were added in one chained expression. */
interface Builder<State> {
  addNode(id: string, body: (state: State) => unknown): unknown;
  addEdge(from: string, to: string): unknown;
  addConditionalEdges(from: string, choose: (state: State) => string | readonly Send[]): unknown;
  compile(): Runnable;
}

/** @param schema the result of `Annotation.Root` */
function createBuilder<State = BenchState>(schema: object): Builder<State> {
  // The casts are true: it is such a schema; and at run time names are texts, and states what the schema says.
  return new StateGraph(schema as AnnotationRoot<StateDefinition>) as unknown as Builder<State>;
}

function addChain(builder: Builder<BenchState>, ids: readonly string[], body: (state: BenchState) => unknown): void {
  for (const id of ids) builder.addNode(id, body);
  const stops = [START, ...ids, END];
  for (const [index, id] of stops.slice(1).entries()) builder.addEdge(stops[index] ?? START, id);
}

/** Channels that are replaced by an update, or appended to. */
function declareState(firstState: BenchState, appended: readonly string[]) {
  const channels = Object.keys(firstState).map((name) => [
    name,
    appended.includes(name) ? declareList() : Annotation<unknown>,
  ]);
  // The cast is true: every channel is an annotation.
  return Annotation.Root(Object.fromEntries(channels) as Record<string, typeof Annotation<unknown>>);
}

function declareList() {
  return Annotation<unknown[]>({ default: () => [], reducer: (current, update) => [...current, ...update] });
}

/** The channels of a fan-out. */
interface FanOutState {
  readonly index: number;
  readonly results: readonly number[];
}

function compileFanOut({ branches, stepCount }: FanOutWork): CompiledWork {
  const builder = createBuilder<FanOutState>(Annotation.Root({ index: Annotation<number>, results: declareList() }));
  if (branches === "dynamic") {
    const items = listItems(stepCount);
    builder.addNode("branch", ({ index }) => ({ results: [branchResult(index)] }));
    builder.addConditionalEdges(START, () => items.map((index) => new Send("branch", { index })));
    builder.addEdge("branch", END);
  } else {
    for (const [index, id] of listNodeIds(stepCount).entries()) {
      builder.addNode(id, () => ({ results: [branchResult(index)] }));
      builder.addEdge(START, id);
      builder.addEdge(id, END);
    }
  }
  return {
    runnable: builder.compile(),
    input: { results: [] },
    // The cast is true: it is the final state.
    readResult: (state) => (state as FanOutState).results,
  };
}

function compileAsking({ firstState }: AskingWork): CompiledWork {
  const builder = createBuilder(declareState(firstState, []));
  addChain(builder, ["ask"], () => ({ answer: interrupt("Continue?") }));
  return { runnable: builder.compile(), input: firstState, readResult: (state) => state };
}

async function openStorage(work: Work, keeping: Keeping, folder: string): Promise<Storage> {
  switch (keeping.type) {
    case "nowhere":
      return { ...UNSTORED, chooseSaver: () => undefined };
    case "memory": {
      const shared = new MemorySaver();
      return { ...UNSTORED, chooseSaver: () => (work.type === "asking" ? shared : new MemorySaver()) };
    }
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
