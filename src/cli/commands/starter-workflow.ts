/** The text of a new workflow file: a small workflow that runs at once, with comments about what to change. */
export function starterWorkflow(name: string): string {
  return `// Run it with: atomic run ${name} "what to look at"
// Try it for free, with a scripted agent: atomic run ${name} "what to look at" --agent scripted
// See its steps without running them: atomic run ${name} "what to look at" --plan
import { agentNode, annotation, defineState, graph, shellNode } from "@bastani/atomic/graph";
import { z } from "zod";

// What lists and help show. The name is that of this file.
export const description = "Look at the project and suggest the next change";
export const argumentHint = '["what to look at"] [--input rounds=2]';

// What a run takes. The prompt on the command line is the input "prompt"; --input NAME=VALUE sets the others.
export const inputs = z.object({
  prompt: z.string().min(1).default("this project").describe("What to look at"),
  rounds: z.number().int().min(1).default(1).describe("How often to improve the suggestion"),
});

// What the steps share: each field with its first value. Inputs need a field of the same name.
const State = defineState({
  prompt: annotation(""),
  rounds: annotation(1),
  files: annotation(""),
  suggestion: annotation(""),
  finishedRounds: annotation(0),
});

// The function builds the graph. Each step receives the state and returns an update of it.
export default () =>
  graph(State)
    // A command: its output and exit code are facts, not an agent's claims.
    .start(
      shellNode({
        id: "list-files",
        command: "ls",
        outputMapper: ({ stdout }) => ({ files: stdout }),
      }),
    )
    // An agent, here in a loop. Take the loop away for a single turn: .then(agentNode({ … }))
    .loop(
      agentNode({
        id: "suggest",
        buildMessage: ({ prompt, files, suggestion }) =>
          suggestion === ""
            ? \`Suggest one change to this project about: \${prompt}\\n\\nIts files:\\n\${files}\`
            : \`Improve this suggestion, in at most ten lines:\\n\${suggestion}\`,
        outputMapper: ({ content }, state) => ({ suggestion: content, finishedRounds: state.finishedRounds + 1 }),
      }),
      { until: ({ rounds, finishedRounds }) => finishedRounds >= rounds, maxIterations: 10 },
    )
    // Next: ask a person with waitNode, branch with .if(…), run steps side by side with .parallel([…]).
    .end()
    .compile({ output: ({ suggestion }) => suggestion });
`;
}
