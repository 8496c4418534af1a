import { mergeToolLists, type PermissionPolicy, type SessionConfig } from "../../../contracts/index.ts";
import { given } from "../../errors/given.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { MapPlace } from "../../model/map-place.ts";
import type { AgentDefinition } from "../../model/named-definitions.ts";
import type { SubagentFailure, SubagentSuccess } from "../../model/subagent-runner.ts";
import type { BaseState } from "../../state/annotation.ts";
import type { StandardSchema } from "../../state/standard-schema.ts";
import { createSessionConfig, withFeedback } from "../agents/ask-agent.ts";
import { defaultsOf, findAgent } from "../agents/named-agent.ts";
import { resolveText } from "../shared/resolve-text.ts";
import { describeHandOver, isLimit, LimitReachedError } from "./limits.ts";
import { runSubagent } from "./run-subagent.ts";

/** A task and the sub-agent that does it. These settings override the agent's definition. */
export interface SubagentSettings<State extends BaseState> {
  /** The name of a definition in the run's `agents`. */
  readonly agentName: string;
  readonly task: string | ((state: Readonly<State>, place: MapPlace) => string);
  /** The vendor's agent; empty for the default. @default the definition's, else the run's */
  readonly agentType?: string | ((state: Readonly<State>, place: MapPlace) => string);
  /**
   * What happens when the agent's provider limits the calls for longer than the client waits, or its login has expired.
   * `"wait"`: the node is retried, at the earliest when the provider says. `"stop"`: the run fails, and a resume continues.
   * `"switch"`: the next of `fallbackAgents` takes over, in the same folder, with a note about what happened.
   * @default "switch" with `fallbackAgents`, otherwise "wait"
   */
  readonly onLimit?: "wait" | "stop" | "switch";
  /** The vendors' agents that take over, in this order; the agent itself is skipped. @default none */
  readonly fallbackAgents?: readonly string[];
  readonly systemPrompt?: string | ((state: Readonly<State>, place: MapPlace) => string);
  readonly model?: string;
  /**
   * The only tools that the agent may call, as in `AgentSettings.tools`. The run's tools in the list are offered to the agent.
   * Permissions still decide about each call.
   * What the definition excludes stays excluded.
   * @default the definition's, else all of the agent's own tools and none of the run's
   */
  readonly tools?: readonly string[];
  /**
   * The longest answer in the result, in characters; `Infinity` for all of it. A longer one keeps its start and end, and its
   * file (`outputPath`) has all.
   * @default 2,000 where the runner keeps files of the whole answers, as `atomic` does; otherwise no limit
   */
  readonly maxOutputLength?: number;
  /** The shape that the answer must have; the parsed value is `structured` of the result. */
  readonly outputSchema?: StandardSchema<unknown>;
  /** How often the agent may correct an answer that does not fit `outputSchema`. @default 2 */
  readonly maxRepairs?: number;
  /**
   * `"worktree"`: it works in a git worktree of its own, on a branch that is merged into the project's when it has ended. If
   * that conflicts, an agent with the same settings resolves it; a branch that cannot be merged is kept and named.
   * A function decides for each visit; it must be pure.
   * @default in the run's working directory
   */
  readonly isolation?: "worktree" | ((state: Readonly<State>, place: MapPlace) => "worktree" | undefined);
  /** A command line for `sh` that prepares the worktree, for example `npm ci`. @default none */
  readonly worktreeSetup?: string | ((state: Readonly<State>, place: MapPlace) => string);
  /**
   * Visits of a run with the same name continue in the same worktree until it is merged: for example further attempts at a
   * task. Two of them must not be in progress at the same time.
   * @default each visit has a worktree of its own
   */
  readonly worktreeName?: string | ((state: Readonly<State>, place: MapPlace) => string);
  /**
   * The branch of the project that the worktree starts at, and that the work is merged into. Empty for the default.
   * @default the branch that is checked out when the worktree is created
   */
  readonly worktreeBranch?: string | ((state: Readonly<State>, place: MapPlace) => string);
  /**
   * A command line for `sh` that must succeed when the agent has ended, before the work is merged. Otherwise the node fails
   * with a `VerificationFailedError`, which has the end of the output. Empty for none.
   * @default none
   */
  readonly verify?: string | ((state: Readonly<State>, place: MapPlace) => string);
  /** Other settings of the session, for example `maxTurns`; those above override it. */
  readonly sessionConfig?: SessionConfig;
  /** Which tool calls are allowed. What the run's policy denies stays denied. @default the run's policy */
  readonly permissions?: PermissionPolicy;
  /** Abort a turn after this many milliseconds without a sign of life. @default the client's own */
  readonly stallTimeoutMs?: number;
  /** Fail after this many milliseconds of work. Waiting for `maxConcurrency` does not count. */
  readonly timeout?: number;
}

/** A task as nodes delegate it. */
export interface DelegatedWork<State extends BaseState> extends SubagentSettings<State> {
  /** It is done in a session of its own, outside of the run's sub-agents and their limit. @default false */
  readonly isDirect?: boolean;
  /** The agent is used as it is, without a definition; `agentName` is for people only. @default false */
  readonly isUndefined?: boolean;
}

/** What a second task of the same visit is called. */
export interface DelegateOptions {
  /** @default that of the visit, which continues the session of an earlier attempt */
  readonly agentId?: string;
  /** The project's folder in the worktree that it works in. */
  readonly checkout?: string;
}

/** An agent's part in a task. */
interface Part extends DelegateOptions {
  readonly wanted: string | undefined;
  /** What an agent before it left. */
  readonly handOver?: string;
  readonly onFailure?: (failure: SubagentFailure) => void;
}

/**
 * Delegates a task to a sub-agent, and to another one where a limit stops it.
 *
 * @param title of its session
 * @throws as {@link runSubagent}
 */
export async function delegate<State extends BaseState>(
  title: string,
  settings: DelegatedWork<State>,
  context: ExecutionContext<State>,
  { agentId, checkout }: DelegateOptions = {},
): Promise<SubagentSuccess> {
  const { onLimit = (settings.fallbackAgents ?? []).length > 0 ? "switch" : "wait" } = settings;
  const wanted = resolveText(settings.agentType ?? "", context, "agentType") || undefined;
  let part: Part = { wanted, ...given({ agentId, checkout }) };
  for (const next of onLimit === "switch" ? await findSubstitutes(wanted, settings, context) : []) {
    const key = `limit before ${next}`;
    const taken = context.recall(key);
    // An earlier attempt of the visit found the limit.
    const handOver = typeof taken === "string" ? taken : await tryUntilLimit(part, next);
    if (typeof handOver !== "string") return handOver;
    if (handOver !== taken) await context.step(key, () => handOver);
    part = { wanted: next, agentId: `${agentId ?? context.taskId}/${next}`, handOver, ...given({ checkout }) };
  }
  try {
    return await delegateTo(title, settings, context, part);
  } catch (error) {
    if (onLimit === "stop" && isLimit(error)) throw new LimitReachedError(error);
    throw error;
  }

  /** The result of an agent, or the hand-over to the next one. */
  async function tryUntilLimit(one: Part, next: string): Promise<SubagentSuccess | string> {
    let said = "";
    const onFailure = ({ output }: SubagentFailure): void => {
      said = output;
    };
    try {
      return await delegateTo(title, settings, context, { ...one, onFailure });
    } catch (error) {
      if (!isLimit(error)) throw error;
      context.emit({ type: "log", message: `${error.message} The agent "${next}" takes over.` });
      return describeHandOver(error.message, said);
    }
  }
}

/** The agents that can take over, without the one that begins. */
async function findSubstitutes<State extends BaseState>(
  wanted: string | undefined,
  work: DelegatedWork<State>,
  context: ExecutionContext<State>,
): Promise<readonly string[]> {
  const { fallbackAgents = [] } = work;
  if (fallbackAgents.length === 0) return [];
  const named = wanted ?? (await findDefinition(work, context)).agentType;
  const first = named ?? (await context.services.clients?.(undefined))?.agentType;
  return [...new Set(fallbackAgents)].filter((agent) => agent !== first);
}

async function findDefinition<State extends BaseState>(
  { agentName, isUndefined = false }: DelegatedWork<State>,
  context: ExecutionContext<State>,
): Promise<AgentDefinition> {
  return isUndefined ? { name: agentName, prompt: "" } : await findAgent(agentName, context);
}

async function delegateTo<State extends BaseState>(
  title: string,
  settings: DelegatedWork<State>,
  context: ExecutionContext<State>,
  { wanted, agentId, handOver, onFailure, checkout }: Part,
): Promise<SubagentSuccess> {
  const { agentName, systemPrompt, timeout: timeoutMs, permissions, sessionConfig } = settings;
  const { maxOutputLength, outputSchema, maxRepairs, stallTimeoutMs } = settings;
  const task = [resolveText(settings.task, context, "task"), ...(handOver === undefined ? [] : [handOver])].join(
    "\n\n",
  );
  const defaults = defaultsOf(await findDefinition(settings, context), wanted);
  const tools = mergeToolLists(defaults.tools, settings.tools);
  const agentType = wanted ?? defaults.agentType;
  const wishes = {
    title,
    agentType,
    systemPrompt:
      systemPrompt === undefined ? defaults.systemPrompt : resolveText(systemPrompt, context, "systemPrompt"),
    // The model that the settings name is one of the agent that they name.
    model: handOver === undefined ? (settings.model ?? defaults.model) : defaults.model,
    tools,
    permissions,
    sessionConfig,
    checkout,
  };
  const order = {
    agentId,
    isDirect: settings.isDirect ?? false,
    agentName,
    agentType,
    task: withFeedback(task, context),
    sessionConfig: await createSessionConfig(wishes, context),
    tools,
    timeoutMs,
    maxOutputLength,
    outputSchema,
    maxRepairs,
    stallTimeoutMs,
    onFailure,
  };
  return { ...(await runSubagent(order, context)), ...given({ agentType }) };
}
