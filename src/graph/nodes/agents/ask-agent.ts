import { realpath } from "node:fs/promises";
import type {
  AgentQuestionHandler,
  AgentReply,
  CodingAgentClient,
  PermissionDecision,
  PermissionHandler,
  PermissionPolicy,
  PermissionRequest,
  SandboxConfig,
  SessionConfig,
  SystemPrompt,
  ToolDefinition,
} from "../../../contracts/index.ts";
import { describeItem } from "../../decide/records/task-title.ts";
import { MissingServiceError } from "../../errors/errors.ts";
import { given } from "../../errors/given.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { SignalData } from "../../model/node-definition.ts";
import { pauseAll } from "../../run/node-timer.ts";
import type { BaseState } from "../../state/annotation.ts";
import type { StandardSchema } from "../../state/standard-schema.ts";
import { abortable } from "../shared/abortable.ts";
import { boundText } from "../shared/bound-text.ts";
import {
  closeSession,
  findSession,
  followSession,
  keepSession,
  noteSession,
  type OpenedSession,
  openSession,
} from "./agent-session.ts";
import { converse, MAX_COMPLAINT_LENGTH } from "./converse.ts";
import { findClient } from "./find-client.ts";
import { findOwnTools } from "./find-own-tools.ts";
import { keepDenials } from "./keep-denials.ts";
import { checkToolNames, limitTools, withoutUnnamed } from "./limit-tools.ts";
import { mirrorPaths } from "./mirror-paths.ts";
import { promptEmitter } from "./prompt-emitter.ts";
import { trackContext } from "./track-context.ts";
import { withInstructions } from "./with-instructions.ts";

/** A task for an agent. */
export interface AgentTask<Output = unknown> {
  readonly agentType: string | undefined;
  /** The sandbox that the agent requires, regardless of the run's own. @default none */
  readonly sandbox?: SandboxConfig | undefined;
  readonly sessionConfig: SessionConfig;
  /** The name of a session that several nodes share. @default a session of this visit alone */
  readonly sessionName?: string | undefined;
  readonly message: string;
  readonly outputSchema?: StandardSchema<Output> | undefined;
  /** @default 2 */
  readonly maxRepairs?: number | undefined;
  readonly stallTimeoutMs?: number | undefined;
  /** Stops a time limit of the task, besides that of the node, while the agent waits for others; see `TurnOptions`. */
  readonly stopTimeout?: (() => () => void) | undefined;
  readonly signal: AbortSignal;
  /** Whether a later attempt of the visit continues the session. @default true */
  readonly isContinued?: boolean | undefined;
  /** Whether to check afterwards how full the context window is. @default false */
  readonly tracksContext?: boolean | undefined;
}

/** An agent's answer, and the update that stores its session for later nodes. */
export interface AgentOutcome<Output = unknown> {
  readonly reply: AgentReply & { readonly structured: Output };
  readonly sessionUpdate: Pick<BaseState, "agentSessions">;
  /** Warnings about the context window. */
  readonly signals: readonly SignalData[];
}

/**
 * Sends a task to an agent and waits for its answer. A later attempt of the same visit reopens the agent's session, if the
 * agent can, and asks it to finish instead of starting over (E4).
 *
 * @throws MissingServiceError, SchemaValidationError, SessionAgentMismatchError, and what the client throws
 */
export async function askAgent<Output = unknown>(
  task: AgentTask<Output>,
  context: ExecutionContext,
): Promise<AgentOutcome<Output>> {
  const { client, opened, preface } = await openFor(task, context);
  const stopFollowing = followSession(client, opened.session, context);
  let resumeTimeout: (() => void) | undefined;
  try {
    const { session, isInterrupted, isResumed } = opened;
    await noteSession({ agentType: client.agentType, sessionId: session.id, isResumed }, context);
    const reply = await converse(session, {
      ...task,
      message: `${preface}${task.message}`,
      title: context.nodeId,
      isInterrupted,
      onMessage: promptEmitter({ session, agentType: client.agentType, config: task.sessionConfig }, context),
      stopTimeout: () => pauseAll([context.stopTimeout, task.stopTimeout]),
    });
    // The answer is paid for, so the follow-up has its own time limits. A node around this one may have more to do.
    if (task.tracksContext) resumeTimeout = context.stopTimeout();
    const name = task.sessionName;
    const tracked = task.tracksContext ? await trackContext({ client, session, name }, context) : undefined;
    const kept = keepOpened(task, { opened, client, preface }, context);
    const sessionUpdate = name !== undefined && tracked?.isForgotten ? keepSession(name, null) : kept;
    return { reply, sessionUpdate, signals: tracked?.signals ?? [] };
  } finally {
    stopFollowing();
    await closeSession(opened.session, context);
    resumeTimeout?.();
  }
}

interface Opened {
  readonly client: CodingAgentClient;
  readonly opened: OpenedSession;
  /** See {@link withInstructions}. */
  readonly preface: string;
}

/** Opens a session for a task. Clients take no signal here: a session that opens after an abort is closed again. */
async function openFor(
  { agentType, sandbox, sessionConfig, sessionName: name, signal, isContinued = true }: AgentTask,
  context: ExecutionContext,
): Promise<Opened> {
  const { runId, taskId, services } = context;
  const { clients } = services;
  if (clients === undefined) throw new MissingServiceError("clients", context.nodeId);
  const open = async (): Promise<Opened> => {
    const client = await findClient(clients, { agentType, sandbox, visit: { runId, taskId } });
    signal.throwIfAborted();
    const instructed = await withInstructions(sessionConfig, async (taken): Promise<OpenedSession> => {
      if (isContinued) return await openSession(client, { sessionConfig: taken, name }, context);
      return { session: await client.createSession(taken), isResumed: false, isInterrupted: false };
    });
    return { client, ...instructed };
  };
  return await abortable(open, { signal, stop: async (opening) => (await opening).opened.session.destroy() });
}

/** The update that stores a session for later nodes; empty if it is already stored. */
function keepOpened(
  { sessionName, sessionConfig, agentType, sandbox }: AgentTask,
  { opened, client }: Opened,
  context: ExecutionContext,
): Pick<BaseState, "agentSessions"> {
  const sessionId = opened.session.id;
  if (sessionName === undefined || findSession(sessionName, context)?.sessionId === sessionId) return {};
  const { model, workingDirectory } = sessionConfig;
  return keepSession(sessionName, {
    sessionId,
    agentType: client.agentType,
    ...given({ requestedType: agentType, model, workingDirectory, sandbox }),
    runId: context.runId,
  });
}

/** The session settings of a node, or of the definition that it names. */
export interface SessionWishes {
  readonly title: string;
  /** The vendor's agent; `undefined` for the run's agent. */
  readonly agentType: string | undefined;
  readonly systemPrompt?: SystemPrompt | undefined;
  readonly model?: string | undefined;
  readonly permissions?: PermissionPolicy | undefined;
  /** The only tools that may be called. The run's own tools among them are offered in the session. */
  readonly tools?: readonly string[] | undefined;
  readonly sessionConfig?: SessionConfig | undefined;
  /** The project's folder in the worktree that the session works in. */
  readonly checkout?: string | undefined;
}

/** Combines the settings of a session: the node's, else the run's. */
export async function createSessionConfig(
  wishes: SessionWishes,
  context: Pick<ExecutionContext, "services" | "runId" | "nodeId" | "modelFor" | "item" | "emit">,
): Promise<SessionConfig> {
  const { services, runId } = context;
  const { workingDirectory } = services;
  const { title, agentType, systemPrompt, tools: names, model = context.modelFor(agentType) } = wishes;
  const config = { ...services.sessionConfig, ...wishes.sessionConfig };
  const ofRun = services.sessionConfig?.permissions;
  const ofNode = wishes.permissions ?? wishes.sessionConfig?.permissions;
  const combined = ofNode === undefined ? ofRun : keepDenials(ofNode, ofRun);
  const allowed = combined && (await inCheckout(combined, wishes, workingDirectory));
  const own = await findOwnTools(names ?? [], services.tools);
  const registered = [...own.values()];
  const ownNames = [...own.keys(), ...(services.tools?.names() ?? []), ...(config.tools ?? []).map(({ name }) => name)];
  checkToolNames(names ?? [], ownNames, context);
  const limited =
    names === undefined
      ? allowed
      : limitTools(
          allowed,
          names,
          registered.map(({ name }) => name),
        );
  const offered = mergeTools(registered, withoutUnnamed(config.tools ?? [], names));
  const { onPermissionAsk: ask } = config;
  // Branches run at the same time: the question has to say which one asks, and in a map for which item.
  const step = context.item === undefined ? title : `${title} (${describeItem(context.item)})`;
  const ownDirectory = wishes.sessionConfig?.workingDirectory;
  const place = ownDirectory === undefined ? {} : { workingDirectory: ownDirectory };
  const onPermissionAsk: PermissionHandler | undefined =
    ask === undefined
      ? undefined
      : async (request, options) => {
          const decision = await ask({ ...request, step, ...place }, options);
          const message = describeDecision(request, decision);
          if (message !== undefined) context.emit({ type: "log", message });
          return decision;
        };
  const { onQuestion: askPerson } = config;
  const onQuestion: AgentQuestionHandler | undefined =
    askPerson && ((question, options) => askPerson({ ...question, step }, options));
  return {
    title: `${title} (${runId})`,
    ...given({ workingDirectory }),
    ...config,
    ...given({ model, systemPrompt, permissions: limited, onPermissionAsk, onQuestion }),
    ...(offered.length === 0 && config.tools === undefined ? {} : { tools: offered }),
  };
}

/** How long an approval lasts. */
const SCOPES = { once: "once", session: "for this run", project: "for good in this project" } as const;

/** What the log says about the answer to a request; nothing if nobody answered, because the denial itself is logged. */
function describeDecision({ title }: PermissionRequest, decision: PermissionDecision): string | undefined {
  const where = decision.answered === undefined ? "" : ` ${decision.answered}`;
  if (decision.type === "allow") return `Allowed ${SCOPES[decision.scope ?? "once"]}${where}: ${title}`;
  return where === "" ? undefined : `Denied${where}: ${title}`;
}

/** The policy for a session in a worktree. Rules may name the project by its path with links, or without. */
async function inCheckout(
  policy: PermissionPolicy,
  { checkout, sessionConfig }: SessionWishes,
  project: string | undefined,
): Promise<PermissionPolicy> {
  if (checkout === undefined || project === undefined) return policy;
  const real = await realpath(project).catch(() => project);
  const place = { to: checkout, workingDirectory: sessionConfig?.workingDirectory ?? checkout };
  return [...new Set([project, real])].reduce((before, from) => mirrorPaths(before, { from, ...place }), policy);
}

/** Merges tools by their names in a session, which must be unique: the later one wins. */
function mergeTools(...lists: readonly (readonly ToolDefinition[])[]): readonly ToolDefinition[] {
  return [...new Map(lists.flat().map((tool) => [tool.name, tool])).values()];
}

/** The task, and why the next node rejected an earlier answer to it (E8). */
export function withFeedback(task: string, { feedback }: Pick<ExecutionContext, "feedback">): string {
  if (feedback === undefined) return task;
  return `${task}\n\nYour previous answer was rejected: ${boundText(feedback, MAX_COMPLAINT_LENGTH)}`;
}
