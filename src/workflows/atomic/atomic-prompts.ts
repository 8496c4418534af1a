import type { AtomicWorkflowState } from "./atomic-state.ts";

/** The explorers: the names of their agents, and a question for each. */
export const EXPLORERS: readonly { readonly agent: string; readonly question: string }[] = [
  { agent: "codebase-locator", question: "Which files does this work concern, and where do its tests belong?" },
  { agent: "codebase-analyzer", question: "How does the code that this work concerns work today?" },
  { agent: "codebase-pattern-finder", question: "Which existing code should new code for this work be modelled on?" },
];

function quote(name: string, text: string): readonly string[] {
  return [`<${name}>`, text, `</${name}>`];
}

/** Asks an explorer for one page of research. */
export function explorePrompt(question: string, { goal }: Pick<AtomicWorkflowState, "goal">): string {
  return [
    `${question} Answer in Markdown, with file and line for each claim. Change nothing.`,
    "",
    ...quote("work", goal),
  ].join("\n");
}

/** Asks for the specification; again with what a person wants changed. */
export function specPrompt(state: AtomicWorkflowState): string {
  const { goal, research, feedback, specDoc, verifyCommand } = state;
  if (feedback !== "") {
    return [
      "A person read the specification and wants it changed. Answer with the whole specification, changed as they say, and",
      "with nothing else.",
      "",
      ...quote("feedback", feedback),
      "",
      ...quote("specification", specDoc),
    ].join("\n");
  }
  return [
    "Write the specification of the following work, in Markdown: the problem, the goal and what is not part of it, the design",
    "with the files it changes, the steps in their order, the tests, and open questions. Be concrete and short: another",
    "agent implements it without asking. Read what you need, and change nothing. Answer with the specification alone.",
    ...(verifyCommand === "" ? [] : [`The work counts as done when \`${verifyCommand}\` succeeds.`]),
    "",
    ...quote("work", goal),
    ...research.flatMap(({ topic, text }) => ["", ...quote(topic, text)]),
  ].join("\n");
}

/** Asks a person about the specification. */
export function approvalQuestion({ specPath, specDoc, pullRequest }: AtomicWorkflowState): string {
  const next = pullRequest ? ", and a pull request is opened where there is a remote" : "";
  return [
    specDoc,
    "",
    `This is the specification, in ${specPath}; you can edit the file. After you approve, the work is done without further questions${next}.`,
    "Answer approve or reject, or say what to change.",
  ].join("\n");
}
