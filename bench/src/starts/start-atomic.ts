import { annotation, defineState, graph, type StateOf, toolNode } from "../../../src/graph/index.ts";

const State = defineState({ count: annotation(0) });

const add = toolNode<StateOf<typeof State>, object, number>({
  id: "add",
  execute: () => 1,
  outputMapper: (count) => ({ count }),
});
const { count } = await graph(State).start(add).end().compile().execute({});
if (count !== 1) throw new Error(`The run ended with ${count}.`);
