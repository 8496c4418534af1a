import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const graph = new StateGraph(Annotation.Root({ count: Annotation<number> }))
  .addNode("add", () => ({ count: 1 }))
  .addEdge(START, "add")
  .addEdge("add", END)
  .compile();
const { count } = await graph.invoke({ count: 0 });
if (count !== 1) throw new Error(`The run ended with ${count}.`);
