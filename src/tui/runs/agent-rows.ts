import type { Usage } from "../../contracts/index.ts";
import { describeCall } from "../../view/index.ts";
import type { SubagentEntry } from "../chat/chat-entry.ts";
import type { RunAgent, RunModel, RunVisit } from "./run-model.ts";
import type { StepNode } from "./step-tree.ts";
import type { WorkState } from "./work-state.ts";

/** An agent of a run, or a sub-agent of one, as its row says it. */
export interface AgentRow {
  readonly key: string;
  /** The agent whose thread it opens. */
  readonly agentId: string;
  readonly taskId: string;
  readonly isSubagent: boolean;
  readonly state: WorkState;
  readonly name: string;
  /** Its type and model, as far as they are known. */
  readonly about: readonly string[];
  /** What its visit is, when its name does not say it. */
  readonly title: string;
  /** What it does now. Empty for one that is done. */
  readonly activity: string;
  /** Since when it does that. */
  readonly since: number | undefined;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly usage: Usage | undefined;
}

/** Settings of {@link agentRows}. */
export interface AgentRowOptions {
  /** Only agents of these visits. */
  readonly taskIds?: ReadonlySet<string> | undefined;
  /** The agent of the run and its model, for steps that ask for none. */
  readonly fallback?: { readonly agent?: string; readonly model?: string } | undefined;
}

/** The agents of a run: those that work in the order of their start, then those that are done, the latest first. */
export function agentRows(
  { agents, visits }: Pick<RunModel, "agents" | "visits">,
  tree: readonly StepNode[],
  { taskIds, fallback = {} }: AgentRowOptions = {},
): readonly AgentRow[] {
  const models = modelsOf(tree);
  const chosen = [...agents.values()].filter(({ taskId }) => taskIds?.has(taskId) ?? true);
  const open = chosen.filter(({ status }) => status === "open");
  const over = chosen.filter(({ status }) => status !== "open").toReversed();
  return [...open, ...over].flatMap((agent) => {
    const visit = visits.get(agent.taskId);
    const usual = agent.agentType === fallback.agent ? fallback.model : undefined;
    const model = models.get(visit?.nodeId ?? "") ?? usual;
    const row = rowOf(agent, visit, model);
    return agent.status === "open" ? [row, ...subagentRows(agent)] : [row];
  });
}

/** The models that steps ask for, by node. */
function modelsOf(tree: readonly StepNode[], models = new Map<string, string>()): ReadonlyMap<string, string> {
  for (const { nodeId, model, children } of tree) {
    if (model !== undefined) models.set(nodeId, model);
    modelsOf(children, models);
  }
  return models;
}

function rowOf(agent: RunAgent, visit: RunVisit | undefined, model: string | undefined): AgentRow {
  const { id, taskId, agentType, status, startedAt, endedAt, thread } = agent;
  const step = visit?.name ?? taskId;
  const name = visit?.item ?? step;
  const now = status === "open" ? activityOf(agent, visit) : undefined;
  return {
    ...{ key: id, agentId: id, taskId, name, isSubagent: false, startedAt },
    state: now?.state ?? (status === "done" ? "done" : status === "failed" ? "failed" : "skipped"),
    about: [...(agentType === undefined ? [] : [agentType]), ...(model === undefined ? [] : [model])],
    title: name === step ? "" : step,
    activity: now?.activity ?? "",
    since: now?.since,
    endedAt,
    usage: thread.usage,
  };
}

interface Activity {
  readonly state: WorkState;
  readonly activity: string;
  readonly since: number | undefined;
}

/** What an agent does now. Every wait has a name. */
function activityOf({ thread, startedAt }: RunAgent, visit: RunVisit | undefined): Activity {
  const { turn, entries } = thread;
  if (visit?.status === "asking") return { state: "asks", activity: "asks you", since: undefined };
  if (turn === undefined) {
    const since = entries.at(-1)?.at ?? startedAt;
    return { state: "running", activity: entries.length === 0 ? "starting" : "between turns", since };
  }
  const { waiting, activity, since } = turn;
  if (waiting !== undefined) return { state: "waiting", activity: describeWait(waiting), since };
  if (activity === "asks you") return { state: "asks", activity, since };
  const tool = entries.findLast((entry) => entry.type === "tool");
  if (tool?.type !== "tool" || tool.status !== "running") return { state: "running", activity, since };
  const about = tool.request?.command ?? describeCall(tool.toolName, tool.input);
  const call = about === "" || about === "{}" ? tool.toolName : `${tool.toolName} ${about}`;
  return { state: "running", activity: call, since: tool.at };
}

const REASONS: Readonly<Record<string, string>> = {
  "rate-limit": "rate limit",
  overload: "the provider is overloaded",
  network: "no network",
  crash: "the agent crashed",
  stall: "the agent was silent",
  "provider-error": "an error of the provider",
  "machine-limit": "other agents run first",
};

function describeWait({ reason, retryAt }: { readonly reason: string; readonly retryAt?: number }): string {
  const why = REASONS[reason] ?? reason;
  return retryAt === undefined ? why : `${why}, resumes ${formatClock(retryAt)}`;
}

/** The time of day of a moment, `14:05`; `--:--` for a number that is invalid. */
export function formatClock(at: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "--:--";
  return [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
}

function subagentRows({ id, taskId, thread }: RunAgent): readonly AgentRow[] {
  const running = thread.entries.filter(
    (entry): entry is SubagentEntry => entry.type === "subagent" && entry.status === "running",
  );
  return running.map(({ subagentId, subagentType, title, at }) => ({
    ...{ key: `${id} ${subagentId}`, agentId: id, taskId, isSubagent: true, state: "running", startedAt: at },
    ...{ name: subagentType ?? "agent", about: [], title: "", activity: title, since: at },
    ...{ endedAt: undefined, usage: undefined },
  }));
}
