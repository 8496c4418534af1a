// An agent makes a change, a command shows the result, a person decides, and an agent commits or undoes the change.
// The run stops at the question with exit code 3; the answer may come days later and from another terminal.
//
// In your project:
//   mkdir -p .atomic/workflows && cp /path/to/atomic/examples/approve-change.ts .atomic/workflows/
//   atomic run approve-change "Fix the typo in the README" --agent scripted --trust    (no model, no key)
//   atomic runs answer RUN approve
//
// With OpenCode, which needs permissions for edits and commands:
//   atomic run approve-change "Fix the typo in the README" --input "checkCommand=npm test" \
//     --allow edit --allow "shell:git *"
import { annotation, defineState, graph, nodes } from "@bastani/atomic/graph";
import { z } from "zod";

const State = defineState({
  /** The requested change. */
  prompt: annotation("Improve the wording of the README"),
  /** The command whose result the person sees. It is part of the run's input, never an agent's choice. */
  checkCommand: annotation("git status --short"),
  summary: annotation(""),
  /** The command's exit code and the end of its output. */
  evidence: annotation(""),
  decision: annotation<"approve" | "discard">("discard"),
});
const { agentNode, shellNode, waitNode } = nodes(State);

const change = agentNode({
  id: "change",
  name: "Change the code",
  buildMessage: ({ prompt }) =>
    `${prompt}\n\nChange the files, but do not commit. Then say in one sentence what you did.`,
  outputSchema: z.object({ summary: z.string().describe("One sentence") }),
  outputMapper: ({ structured }) => ({ summary: structured.summary }),
});

const check = shellNode({
  id: "check",
  name: "Look at the result",
  command: ({ checkCommand }) => checkCommand,
  outputMapper: ({ command, exitCode, stdout, stderr }) => ({
    evidence: `\`${command}\` ended with exit code ${exitCode}\n${`${stdout}\n${stderr}`.trim().slice(-2_000)}`.trim(),
  }),
});

const approve = waitNode({
  id: "approve",
  prompt: ({ state }) => `${state.evidence}\nKeep the change?`,
  options: [
    { label: "approve", description: "commit it" },
    { label: "discard", description: "undo it" },
  ],
  inputMapper: (answer) => ({ decision: answer === "approve" ? "approve" : "discard" }),
});

const carryOut = agentNode({
  id: "carry-out",
  name: "Carry the decision out",
  buildMessage: ({ decision, prompt, summary }) =>
    decision === "approve"
      ? `Commit the uncommitted changes with git. They were made for: ${prompt}. What was done: ${summary}`
      : "Undo all uncommitted changes to tracked files with git restore. Leave untracked files alone.",
});

export const description = "Change something, show the evidence, ask a person, then commit or undo";
export default () => graph(State).start(change).then(check).then(approve).then(carryOut).end().compile();
