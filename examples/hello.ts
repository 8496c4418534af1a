// The smallest useful workflow: one agent, and a line that shows its answer.
//
// In your project:
//   mkdir -p .atomic/workflows && cp /path/to/atomic/examples/hello.ts .atomic/workflows/
//   atomic run hello "the sea" --agent scripted --trust    (no model, no key)
//   atomic run hello "the sea"                             (OpenCode, with the model you use there)
import { annotation, defineState, graph, nodes } from "@bastani/atomic/graph";

const State = defineState({ prompt: annotation("the moon"), poem: annotation("") });
const { agentNode, toolNode } = nodes(State);

const write = agentNode({
  id: "write",
  buildMessage: ({ prompt }) => `Write two lines about ${prompt}.`,
  outputMapper: ({ content }) => ({ poem: content }),
});

const show = toolNode({
  id: "show",
  execute: (_args, context) => context.emit({ type: "log", message: context.state.poem }),
});

export const description = "An agent writes two lines";
export default () => graph(State).start(write).then(show).end().compile();
