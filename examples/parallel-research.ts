// Three agents examine a question from different sides in parallel. Their findings are appended to one list, in the order
// of the agents in this file, and a fourth agent writes the answer. They only need to read.
//
// In your project:
//   mkdir -p .atomic/workflows && cp /path/to/atomic/examples/parallel-research.ts .atomic/workflows/
//   atomic run parallel-research "How are errors handled?" --agent scripted --trust    (no model, no key)
//   atomic run parallel-research "How are errors handled?"                             (OpenCode)
import { annotation, defineState, graph, nodes, Reducers } from "@bastani/atomic/graph";
import { z } from "zod";

const findingSchema = z.object({ fact: z.string(), file: z.string().describe("The file that shows it") });
type Finding = z.infer<typeof findingSchema> & { readonly by: string };

const State = defineState({
  prompt: annotation("How is this project built and tested?"),
  findings: annotation<Finding[]>([], Reducers.concat),
  report: annotation(""),
});
const { agentNode, toolNode } = nodes(State);

function researcher(id: string, where: string) {
  return agentNode({
    id,
    buildMessage: ({ prompt }) => `Answer by looking at ${where} only; change nothing. The question: ${prompt}`,
    outputSchema: z.object({ findings: z.array(findingSchema).min(1).max(10) }),
    outputMapper: ({ structured }) => ({ findings: structured.findings.map((finding) => ({ ...finding, by: id })) }),
  });
}

const synthesise = agentNode({
  id: "synthesise",
  buildMessage: ({ prompt, findings }) =>
    `Answer in a few sentences: ${prompt}\n\nWhat was found:\n${findings.map(({ by, fact, file }) => `- ${fact} (${file}, ${by})`).join("\n")}`,
  outputMapper: ({ content }) => ({ report: content }),
});

const show = toolNode({
  id: "show",
  execute: (_args, context) => {
    const { findings, report } = context.state;
    context.emit({ type: "log", message: `${findings.length} findings by ${findings.map(({ by }) => by).join(", ")}` });
    context.emit({ type: "log", message: report });
  },
});

export const description = "Three agents research side by side, a fourth writes the answer";
export default () =>
  graph(State)
    .parallel([
      researcher("code", "the source code"),
      researcher("tests", "the tests"),
      researcher("docs", "the documentation"),
    ])
    .then(synthesise)
    .then(show)
    .end()
    .compile();
