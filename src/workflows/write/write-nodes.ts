import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { isWorkflowName, readWrittenScript } from "../../discovery/index.ts";
import {
  agentNode,
  askUserNode,
  defaultScriptLimits,
  MissingServiceError,
  type NodeDefinition,
  type RunServices,
  readScriptText,
  type ScriptApi,
  type ScriptHost,
  type ScriptServices,
  ScriptUsageError,
  scriptNode,
} from "../../graph/index.ts";
import { loadRalphGoal } from "../ralph/load-goal.ts";
import { READ_ONLY, READING_TOOLS } from "../review/review-nodes.ts";
import { checkDraft } from "./check-draft.ts";
import { ScriptNameError, ScriptNameTakenError, ScriptNotWrittenError } from "./write-errors.ts";
import { approvalQuestion, scriptPrompt } from "./write-prompts.ts";
import type { ScriptDecision, WriteState } from "./write-state.ts";

type WriteNode = NodeDefinition<WriteState>;

/** The ids of the nodes. */
export const WRITE_NODE_IDS = {
  readTask: "read-task",
  write: "write-script",
  check: "check-script",
  approval: "approval",
  run: "run-script",
  askKeep: "ask-keep",
  keep: "keep-script",
} as const;

/** The file of the script in the run's folder. */
const DRAFT_FILE = "script.js";

const draftSchema = z.object({ script: z.string().describe("The whole script, beginning with export const meta") });

/** How many agents a script may call: the run's own limit may be lower than what is wanted. */
function limitIn({ scriptLimits }: RunServices, wanted: number): number {
  const { maxAgents } = { ...defaultScriptLimits(), ...scriptLimits };
  return Math.min(wanted, maxAgents);
}

/** Finds out what the script is to do. */
export const readTask: WriteNode = {
  id: WRITE_NODE_IDS.readTask,
  type: "tool",
  name: "Read the task",
  async execute({ state, services }) {
    const { name } = state;
    if (name !== "" && !isWorkflowName(name)) throw new ScriptNameError(name);
    const taken = name === "" ? undefined : await services.scripts?.findTaken(name);
    if (taken !== undefined) throw new ScriptNameTakenError(name, taken);
    return { stateUpdate: { goal: await loadRalphGoal(state.prompt, services.workingDirectory) } };
  },
};

/**
 * Has an agent write the script, or correct it. It can only read, whatever the run's policy allows. Each draft has a conversation
 * of its own: OpenCode cannot list one in which an answer had a schema.
 */
export function createWriteNode(maxAgents: number): WriteNode {
  return agentNode<WriteState, z.infer<typeof draftSchema>>({
    id: WRITE_NODE_IDS.write,
    name: "Write the script",
    permissions: READ_ONLY,
    tools: READING_TOOLS,
    outputSchema: draftSchema,
    buildMessage: (state, { services }) => scriptPrompt(state, limitIn(services, maxAgents)),
    outputMapper: ({ structured }, { draftCount }) => ({
      script: structured.script.replaceAll("\r\n", "\n"),
      feedback: "",
      draftCount: draftCount + 1,
    }),
  });
}

/**
 * Checks the script. After a resume of a run that failed here, the agent has as many drafts again.
 *
 * @throws ScriptNotWrittenError after the last draft
 */
export function createCheckNode({ maxAgents, maxDrafts }: Record<"maxAgents" | "maxDrafts", number>): WriteNode {
  return {
    id: WRITE_NODE_IDS.check,
    type: "tool",
    name: "Check the script",
    async execute(context) {
      const { script, name, draftCount } = context.state;
      const { signal, services, emit } = context;
      const { sessionDirectory } = services;
      if (sessionDirectory !== undefined) await writeFile(join(sessionDirectory, DRAFT_FILE), script, { mode: 0o600 });
      const about = { path: DRAFT_FILE, text: script, name, maxAgents: limitIn(services, maxAgents) };
      const { problems, outline } = await checkDraft({ ...about, services, signal });
      for (const problem of problems) emit({ type: "log", message: `Draft ${draftCount}: ${problem}` });
      const isLast = problems.length > 0 && draftCount >= maxDrafts;
      if (isLast && context.attempt === 1) throw new ScriptNotWrittenError(draftCount, problems);
      return { stateUpdate: { problems, outline, ...(isLast ? { draftCount: 0 } : {}) } };
    },
  };
}

/** Asks a person whether the script may run. */
export function createApprovalNode(maxAgents: number): WriteNode {
  return askUserNode<WriteState>({
    id: WRITE_NODE_IDS.approval,
    name: "Approve the script",
    options: (state, { services }) => ({
      header: "Script",
      question: approvalQuestion(state, limitIn(services, maxAgents)),
    }),
    outputMapper: (answer, { feedbackRounds }) => {
      const decision = decisionOf(answer);
      const isChange = decision === "changes";
      return {
        decision,
        feedback: isChange ? answer.trim() : "",
        feedbackRounds: feedbackRounds + (isChange ? 1 : 0),
        draftCount: 0,
        ...(isChange ? { outline: null } : {}),
      };
    },
  });
}

/** What an answer means. Everything but a plain word is what to change. */
export function decisionOf(answer: string): ScriptDecision {
  const text = answer
    .trim()
    .toLowerCase()
    .replace(/[.!]+$/, "");
  if (["run", "run it", "go", "yes", "y", "ok", "approve", "approved", "lgtm"].includes(text)) return "run";
  if (["keep", "save"].includes(text)) return "keep";
  const isEnd = ["discard", "no", "n", "reject", "rejected", "cancel", "stop", "quit", "exit", "abort"].includes(text);
  return isEnd ? "discard" : "changes";
}

/** What the node that runs the script is given. */
interface ApprovedScript {
  readonly text: string;
  readonly commands: readonly string[];
}

/**
 * Runs the approved script as part of this run: with its journal, policy and budget. Whatever its text makes of it, it runs only
 * commands that the person has seen, and that the policy of this process does not deny.
 */
export function createRunNode(maxAgents: number): WriteNode {
  const nodeWith = (scripts: ScriptServices | undefined): WriteNode =>
    scriptNode<WriteState, ApprovedScript, unknown>({
      id: WRITE_NODE_IDS.run,
      name: "Run the script",
      version: "1",
      maxAgents,
      args: ({ script, outline }) => ({
        text: script,
        commands: outline?.commands.map(({ command }) => command) ?? [],
      }),
      run: async ({ args, ...api }, host) => await runApproved(args, { api, host }, scripts),
      outputMapper: (result) => ({ result: result ?? null }),
    });
  return { ...nodeWith(undefined), execute: (context) => nodeWith(context.services.scripts).execute(context) };
}

async function runApproved(
  { text, commands }: ApprovedScript,
  { api, host }: { readonly api: Omit<ScriptApi<ApprovedScript>, "args">; readonly host: ScriptHost },
  scripts: ScriptServices | undefined,
): Promise<unknown> {
  const { body } = await readWrittenScript(DRAFT_FILE, text);
  if (body === undefined) throw new ScriptUsageError("The script has changed since it was approved.");
  const approved: ScriptApi = {
    ...api,
    args: undefined,
    async shell(command, options) {
      const shown = JSON.stringify(command);
      if (!commands.includes(command)) throw new ScriptUsageError(`Nobody has approved the command ${shown}.`);
      if (options?.workingDirectory !== undefined) {
        throw new ScriptUsageError(`The command ${shown} runs in the project's folder: leave out workingDirectory.`);
      }
      if ((await scripts?.effectOf(command)) === "deny") {
        throw new ScriptUsageError(`The run's policy denies the command ${shown}.`);
      }
      return await api.shell(command, options);
    },
    async workflow(name) {
      throw new ScriptUsageError(`A script that an agent wrote calls no workflows, such as ${JSON.stringify(name)}.`);
    },
  };
  return await readScriptText({ path: DRAFT_FILE, text: body.text })(approved, host);
}

/** Asks whether a script that has run is kept. */
export const askKeep: WriteNode = askUserNode<WriteState>({
  id: WRITE_NODE_IDS.askKeep,
  name: "Keep the script?",
  options: ({ outline }) => ({
    header: "Keep it?",
    question: `The script "${outline?.name}" has run. Keep it among the project's workflows?`,
    options: [{ label: "keep" }, { label: "discard" }],
  }),
  outputMapper: (answer) => ({ isWanted: answer === "keep" }),
});

/** Writes the script into the project's folder of workflows. */
export const keepScript: WriteNode = {
  id: WRITE_NODE_IDS.keep,
  type: "tool",
  name: "Keep the script",
  async execute({ state, services: { scripts }, nodeId }) {
    if (scripts === undefined) throw new MissingServiceError("scripts", nodeId);
    return { stateUpdate: { keptPath: await scripts.keep(state.outline?.name ?? "", state.script) } };
  },
};
