// What the compiler infers where nothing is said: this file must compile, and is never run.
import {
  agentNode,
  annotation,
  askUserNode,
  type BaseState,
  type CompiledGraph,
  defineState,
  graph,
  type NodeDefinition,
  nodes,
  parallelNode,
  Reducers,
  type StateOf,
  shellNode,
  subgraphNode,
  toolNode,
  waitNode,
} from "@bastani/atomic/graph";
import { z } from "zod";

type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Does not compile unless the value has exactly the type. */
function has<Expected>() {
  return <Actual>(_value: Actual, ..._proof: IsSame<Actual, Expected> extends true ? [] : [never]): void => undefined;
}

const State = defineState({
  topic: annotation(""),
  count: annotation(0),
  files: annotation<string[]>([], Reducers.concat),
  choice: annotation<"keep" | "undo">("keep"),
  pair: annotation<[number, string]>([0, ""]),
});
type State = StateOf<typeof State>;

/** Results, arguments and literals of an update. */
graph(State)
  .start(toolNode({ id: "result", execute: () => 1, outputMapper: (count) => ({ count }) }))
  .then(toolNode({ id: "promise", execute: async () => "x", outputMapper: (topic) => ({ topic }) }))
  .then(
    toolNode({
      id: "all",
      args: (state) => ({ path: state.topic }),
      execute: ({ path }, { state, item }) => {
        has<string>()(path);
        has<number>()(state.count);
        has<unknown>()(item);
        return [path.length];
      },
      outputMapper: (lengths, state) => {
        has<number[]>()(lengths);
        return {
          count: state.count + lengths.length,
          choice: lengths.length > 1 ? "keep" : "undo",
          pair: [1, "x"],
          files: [],
        };
      },
    }),
  )
  .then(
    toolNode({
      id: "paths",
      execute: () => 1,
      outputMapper: (count, state) => {
        if (count > 1) return { count };
        return count > 0 ? { ...state, topic: "" } : {};
      },
    }),
  )
  .then(
    toolNode({
      id: "never",
      execute: () => 1,
      outputMapper: () => Promise.reject("no mapper is asynchronous") as never,
    }),
  )
  .then(
    agentNode({
      id: "structured",
      buildMessage: ({ topic }) => topic,
      outputSchema: z.object({ found: z.array(z.string()) }),
      outputMapper: ({ structured: { found } }) => ({ files: found }),
    }),
  )
  .then(
    parallelNode({
      id: "nested",
      branches: [toolNode({ id: "inner", execute: () => 1, outputMapper: (count) => ({ count }) })],
      merge: (ended, { count }) => ({ count: count + ended.size, choice: "undo" }),
    }),
  )
  .then(askUserNode({ id: "ask", options: ({ topic }) => ({ question: topic }), outputMapper: (topic) => ({ topic }) }))
  .then([waitNode({ id: "wait", inputMapper: (answer) => ({ choice: answer === "keep" ? "keep" : "undo" }) })])
  .wait({ inputMapper: (answer) => ({ pair: [1, answer] }) })
  .if(({ count }) => count > 1)
  .then(
    shellNode({ id: "shell", command: ({ topic }) => topic, outputMapper: ({ exitCode }) => ({ count: exitCode }) }),
  )
  .else()
  .parallel(
    [
      shellNode({ id: "left", command: "ls", outputMapper: ({ stdout }) => ({ topic: stdout }) }),
      [shellNode({ id: "right", command: "ls", outputMapper: ({ stdout }) => ({ files: [stdout] }) })],
    ],
    { merge: (ended) => ({ count: ended.size, choice: "keep" }) },
  )
  .endif()
  .loop(toolNode({ id: "body", execute: () => 1, outputMapper: (n, { count }) => ({ count: count + n }) }), {
    until: ({ count }) => count > 3,
  })
  .catch(
    toolNode({
      id: "caught",
      execute: (_args, { error }) => error?.message ?? "",
      outputMapper: (topic) => ({ topic }),
    }),
  )
  .end();

/** The item of a map. */
graph(State)
  .map(
    (state) => state.files,
    ({ toolNode, agentNode }) => [
      toolNode({
        id: "length",
        execute: (_args, { item }) => {
          has<string>()(item);
          return item.length;
        },
        outputMapper: (count) => ({ count }),
      }),
      agentNode({ id: "review", buildMessage: (_state, { item }) => item.toUpperCase() }),
    ],
    { merge: (ended) => ({ count: ended.size }) },
  )
  .map(
    (state: State) => state.files.map((path) => ({ path })),
    toolNode({ id: "annotated", execute: (_args, { item }) => item.path, outputMapper: (topic) => ({ topic }) }),
  )
  .map((state) => state.pair, {
    id: "written",
    type: "tool",
    execute: ({ item }) => {
      has<string | number>()(item);
      return { stateUpdate: { topic: String(item) } };
    },
  })
  .map((state) => state.files, toolNode({ id: "unknown", execute: (_args, { item }) => has<unknown>()(item) }));

/** Nodes that are made outside of a graph, by a schema or by a type. */
const bySchema = nodes(State).toolNode({ id: "schema", execute: () => 1, outputMapper: (count) => ({ count }) });
has<NodeDefinition<State, unknown>>()(bySchema);
interface Written extends BaseState {
  readonly count: number;
}
const byType = nodes<Written>().toolNode({ id: "type", execute: () => 1, outputMapper: (count) => ({ count }) });
graph<Written>().start(byType).end();
// What knows a part of the state only fits in every graph that has the part.
const part: NodeDefinition<Written> = byType;
graph(State).start(bySchema);

/** The output of a run. */
export async function readOutputs(): Promise<void> {
  const compiled = graph(State)
    .start(part as NodeDefinition<State>)
    .end()
    .compile({ output: ({ files, count }) => ({ files, count }), onProgress: ({ topic }) => has<string>()(topic) });
  has<CompiledGraph<State, { files: string[]; count: number }>>()(compiled);
  const { output } = await compiled.run();
  has<{ files: string[]; count: number } | undefined>()(output);
  has<string | undefined>()((await compiled.run({}, { output: ({ topic }) => topic })).output);
  has<{ files: string[]; count: number } | undefined>()((await compiled.resume("run")).output);
  has<unknown>()((await graph(State).start(bySchema).end().compile().run()).output);
  const any: CompiledGraph = compiled;
  graph(State).start(
    subgraphNode({
      id: "sub",
      subgraph: compiled,
      inputMapper: ({ topic }) => ({ topic }),
      outputMapper: (end) => ({ files: end.files }),
    }),
  );
  await any.run();
}
