import {
  AtomicError,
  type CodingAgentClient,
  type ContextAction,
  type ContextUsage,
  type Session,
} from "../../../contracts/index.ts";
import type { SessionName } from "../../model/agent-settings.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { NodeResult } from "../../model/node-definition.ts";
import type { BaseState, ExactUpdate } from "../../state/annotation.ts";
import { findSession, resolveSessionName } from "../agents/agent-session.ts";
import { type ContextThresholds, resolveThresholds } from "../agents/context-thresholds.ts";
import { assertCapable, clientOf, defaultAction, visitSession, warningOf } from "../agents/context-window.ts";
import { outputOf } from "../tools/tool-node.ts";
import { forget } from "./clear-context.ts";

/** A session's context window is as full as it may be, and the workflow asks to fail then. */
export class ContextExhaustedError extends AtomicError {
  constructor(
    readonly session: string,
    readonly fraction: number,
    readonly threshold: number,
  ) {
    super(
      "CONTEXT_EXHAUSTED",
      `The session "${session}" fills ${percent(fraction)} of its context window, and may fill less than ${percent(threshold)}. Clear it earlier with clearContextNode, or raise thresholds.exhaustion.`,
    );
  }
}

function percent(fraction: number): string {
  return `${Math.round(fraction * 100)} %`;
}

/** What a {@link contextMonitorNode} found and did. */
export interface ContextReading {
  /** The name of the session. */
  readonly session: string;
  /** `null` when there is no such session. */
  readonly usage: ContextUsage | null;
  /** Which threshold the usage has reached. */
  readonly level: "ok" | "compaction" | "exhaustion";
  readonly action: ContextAction | "none";
}

/** Settings of a {@link contextMonitorNode}. */
export interface ContextMonitorNodeConfig<State extends BaseState, Item = unknown, Update = unknown> {
  /** @default "context-monitor" */
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  /** The session, by the name that `agentNode` gives it. */
  readonly session: SessionName<State, Item>;
  readonly thresholds?: ContextThresholds;
  /** What happens from `compaction` on; see `clearContextNode`. @default "summarize" where the agent can, else "recreate" */
  readonly action?: ContextAction;
  /** What happens from `exhaustion` on. @default "warn" where that is the `action`, else "recreate" */
  readonly onExhaustion?: "recreate" | "warn" | "fail";
  /** Hears of every reading, before anything is done about it. */
  readonly onUsage?: (usage: ContextUsage, context: ExecutionContext<State, Item>) => void;
  /** Turns the reading into an update. @default `outputs[id] = reading` */
  readonly outputMapper?: (
    reading: ContextReading,
    state: Readonly<State>,
    context: ExecutionContext<State, Item>,
  ) => ExactUpdate<State, Update>;
}

/** What a {@link contextMonitorNode} does. @throws ContextExhaustedError, CapabilityMissingError, MissingServiceError */
export async function monitorContext<State extends BaseState, Item, Update>(
  id: string,
  config: ContextMonitorNodeConfig<State, Item, Update>,
  context: ExecutionContext<State, Item>,
): Promise<NodeResult<State>> {
  const reading = await monitor(config, context);
  const update = config.outputMapper?.(reading, context.state, context) ?? outputOf<State>(id, reading);
  return resultOf(reading, update);
}

function resultOf<State extends BaseState>(reading: ContextReading, update: Partial<State>): NodeResult<State> {
  const { session, action, usage } = reading;
  if (action === "none") return { stateUpdate: update };
  const signals = [warningOf(session, action, usage?.fraction)];
  return { stateUpdate: action === "recreate" ? { ...update, ...forget<State>(session) } : update, signals };
}

async function monitor<State extends BaseState, Item, Update>(
  config: ContextMonitorNodeConfig<State, Item, Update>,
  context: ExecutionContext<State, Item>,
): Promise<ContextReading> {
  const name = resolveSessionName(config.session, context);
  const nothing: ContextReading = { session: name, usage: null, level: "ok", action: "none" };
  const ref = findSession(name, context);
  if (ref === undefined) return nothing;
  const client = await clientOf(ref, context);
  assertCapable(client, "contextUsage");
  // Once per visit of the node, whatever happens to its process behind this; a failure is not remembered.
  const reading = await context.step(
    "reading",
    async () =>
      (await visitSession({ client, ref }, context, (session) =>
        look(session, { ...config, name, client }, context),
      )) ?? null,
  );
  return reading ?? nothing;
}

/** Reads how full the window is, and does what has to be done about it while the session is open. */
async function look<State extends BaseState, Item, Update>(
  session: Session,
  config: ContextMonitorNodeConfig<State, Item, Update> & { readonly name: string; readonly client: CodingAgentClient },
  context: ExecutionContext<State, Item>,
): Promise<ContextReading> {
  const { name, client, onUsage } = config;
  const thresholds = resolveThresholds(config.thresholds, context.contextWindowThreshold);
  const usage = await session.getContextUsage();
  const { fraction } = usage;
  if (usage.maxTokens <= 0) {
    context.emit({ type: "log", message: `Nobody knows how large the context window of "${name}" is.` });
  }
  onUsage?.(usage, context);
  const level = levelOf(fraction, thresholds);
  const action = actionFor(level, config, client);
  switch (action) {
    case "fail":
      throw new ContextExhaustedError(name, fraction, thresholds.exhaustion);
    case "none":
      context.emit({ type: "context-window", session: name, fraction, action });
      break;
    case "summarize":
      assertCapable(client, "summarize");
      await session.summarize();
      break;
    case "recreate":
    case "warn":
      // The node's result says it.
      break;
  }
  return { session: name, usage, level, action };
}

function levelOf(fraction: number, { compaction, exhaustion }: Required<ContextThresholds>): ContextReading["level"] {
  if (fraction >= exhaustion) return "exhaustion";
  return fraction >= compaction ? "compaction" : "ok";
}

function actionFor(
  level: ContextReading["level"],
  {
    action,
    onExhaustion = action === "warn" ? "warn" : "recreate",
  }: Pick<ContextMonitorNodeConfig<BaseState>, "action" | "onExhaustion">,
  client: CodingAgentClient,
): ContextReading["action"] | "fail" {
  switch (level) {
    case "ok":
      return "none";
    case "compaction":
      return action ?? defaultAction(client);
    case "exhaustion":
      return onExhaustion;
  }
}
