import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { realPathOf } from "../../discovery/index.ts";
import {
  agentNode,
  askUserNode,
  contextMonitorNode,
  type ExecutionContext,
  type NodeDefinition,
  nodes,
  parallelSubagentNode,
  subgraphNode,
} from "../../graph/index.ts";
import { isWithin } from "../../system/index.ts";
import {
  createPrepareBranchNode,
  createPullRequestNode,
  nameOfGoal,
  withResult,
} from "../pull-request/pull-request-nodes.ts";
import { loadRalphGoal } from "../ralph/load-goal.ts";
import type { RalphState } from "../ralph/ralph-state.ts";
import { createRalphWorkflow, type RalphConfig } from "../ralph/ralph-workflow.ts";
import { summarizeRalph } from "../ralph/summarize-ralph.ts";
import { FolderOutsideError } from "./atomic-errors.ts";
import { approvalQuestion, EXPLORERS, explorePrompt, specPrompt } from "./atomic-prompts.ts";
import { AtomicStateAnnotation, type AtomicWorkflowState, type SpecDecision } from "./atomic-state.ts";

type State = AtomicWorkflowState;
type AtomicNode = NodeDefinition<State>;

const { toolNode } = nodes(AtomicStateAnnotation);

/** The ids of the nodes of the Atomic workflow. */
export const ATOMIC_NODE_IDS = {
  readGoal: "read-goal",
  research: "research",
  writeResearch: "write-research",
  createSpec: "create-spec",
  writeSpec: "write-spec",
  approval: "approval",
  readSpec: "read-spec",
  prepareBranch: "prepare-branch",
  implement: "implement",
  createPullRequest: "create-pull-request",
} as const;

/** The conversation about the specification. */
const SPEC_SESSION = "specification";

/** Finds out what is wanted, and where research and specification are written. */
export const readGoal: AtomicNode = toolNode({
  id: ATOMIC_NODE_IDS.readGoal,
  name: "Read the goal",
  execute: async (_args, { state, services, runId }) => {
    const goal = await loadRalphGoal(state.prompt, services.workingDirectory);
    return { goal, folder: `research/${nameOfGoal(goal)}-${runId.slice(0, 4)}` };
  },
  outputMapper: ({ goal, folder }) => ({ goal, folder }),
});

/** Explorers look at the codebase side by side. One that fails is left out. */
export const research: AtomicNode = parallelSubagentNode<State>({
  id: ATOMIC_NODE_IDS.research,
  name: "Research",
  agents: EXPLORERS.map(({ agent, question }) => ({
    agentName: agent,
    task: (state) => explorePrompt(question, state),
    maxOutputLength: Number.POSITIVE_INFINITY,
  })),
  merge: (results) => ({
    research: [...results.values()].flatMap(({ success, output }, index) =>
      success ? [{ topic: EXPLORERS[index]?.agent ?? "", text: output }] : [],
    ),
  }),
});

/** Writes the pages of the research. */
export const writeResearch: AtomicNode = toolNode({
  id: ATOMIC_NODE_IDS.writeResearch,
  name: "Write the research",
  execute: async (_args, context) => {
    const { research: pages, folder } = context.state;
    for (const { topic, text } of pages) await writePage(join(folder, `${topic}.md`), text, context);
    return pages.length;
  },
});

async function writePage(path: string, text: string, { services }: ExecutionContext<State>): Promise<void> {
  const { workingDirectory = "." } = services;
  const file = resolve(workingDirectory, path);
  // A project can have a link in the place of the folder.
  let existing = dirname(file);
  while (!existsSync(existing)) existing = dirname(existing);
  const place = realPathOf(existing);
  if (!isWithin(place, realPathOf(workingDirectory))) throw new FolderOutsideError(path, place);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${text.trim()}\n`);
}

/** Writes the specification, and changes it as a person says. */
export const createSpec: AtomicNode = agentNode<State>({
  id: ATOMIC_NODE_IDS.createSpec,
  name: "Write the specification",
  session: SPEC_SESSION,
  tools: ["read", "grep", "glob", "list"],
  buildMessage: specPrompt,
  outputMapper: ({ content }) => ({ specDoc: content.trim(), feedback: "" }),
});

/** Keeps the conversation about the specification within the model's context. */
export const monitorSpec: AtomicNode = contextMonitorNode<State>({ id: "monitor-context", session: SPEC_SESSION });

/** Writes the file of the specification. */
export const writeSpec: AtomicNode = toolNode({
  id: ATOMIC_NODE_IDS.writeSpec,
  name: "Save the specification",
  execute: async (_args, context) => {
    const { folder, specDoc } = context.state;
    const path = join(folder, "spec.md");
    await writePage(path, specDoc, context);
    return path;
  },
  outputMapper: (specPath) => ({ specPath }),
});

/** Asks a person whether the specification is right. */
export const approval: AtomicNode = askUserNode<State>({
  id: ATOMIC_NODE_IDS.approval,
  name: "Approve the specification",
  options: (state) => ({ header: "Specification", question: approvalQuestion(state) }),
  outputMapper: (answer, { feedbackRounds }) => {
    const specDecision = decisionOf(answer);
    const feedback = specDecision === "changes" ? answer.trim() : "";
    return { specDecision, feedback, feedbackRounds: feedbackRounds + (specDecision === "changes" ? 1 : 0) };
  },
});

/** What an answer means. Everything but a plain yes or no is what to change. */
export function decisionOf(answer: string): SpecDecision {
  const text = answer
    .trim()
    .toLowerCase()
    .replace(/[.!]+$/, "");
  if (["approve", "approved", "yes", "y", "ok", "lgtm"].includes(text)) return "approved";
  return ["reject", "rejected", "no", "n"].includes(text) ? "rejected" : "changes";
}

/**
 * Reads the specification again: a person may have edited its file before the answer. Where the file is missing, the text that
 * the person was shown counts, and is written again unless it was rejected.
 */
export const readSpec: AtomicNode = {
  id: ATOMIC_NODE_IDS.readSpec,
  type: "tool",
  name: "Read the specification",
  async execute(context) {
    const { state, services, emit } = context;
    const { specPath, specDoc, specDecision } = state;
    const found = await readIfThere(resolve(services.workingDirectory ?? ".", specPath));
    if (found !== undefined) return { stateUpdate: { specDoc: found } };
    if (specDecision === "rejected") return { stateUpdate: { specPath: "" } };
    await writePage(specPath, specDoc, context);
    emit({ type: "log", message: `${specPath} was missing: it is written again, as it was when you were asked.` });
    return {};
  },
};

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    throw error;
  }
}

/** Where a pull request will be opened, work on the default branch moves to a branch of its own first. */
export const prepareBranch: AtomicNode = createPrepareBranchNode<State>({
  id: ATOMIC_NODE_IDS.prepareBranch,
  nameBranch: ({ folder }) => `atomic-${basename(folder)}`,
});

/** Implements the specification: tasks, workers, verification and review. */
export function createImplementNode(config: RalphConfig): AtomicNode {
  return subgraphNode<State, RalphState>({
    id: ATOMIC_NODE_IDS.implement,
    name: "Implement the specification",
    subgraph: createRalphWorkflow(config),
    inputMapper: ({ specDoc, verifyCommand, workers, setupCommand, review }) => ({
      goal: specDoc,
      verifyCommand,
      workers,
      setupCommand,
      review,
    }),
    outputMapper: (ralph) => ({ summary: summarizeRalph(ralph) }),
  });
}

/** Opens the pull request, with the specification and the result. */
export const createPullRequest: AtomicNode = createPullRequestNode<State>({
  id: ATOMIC_NODE_IDS.createPullRequest,
  bodyOf: ({ specDoc, summary }) => withResult(specDoc, summary),
});
