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
import { mapResult } from "../shared/map-result.ts";
import { outputOf } from "../tools/tool-node.ts";
import { forget } from "./clear-context.ts";

/** A session's context window reached its `exhaustion` threshold, and the node is set to fail then. */
export class ContextExhaustedError extends AtomicError {
  constructor(
    readonly session: string,
    readonly fraction: number,
    readonly threshold: number,
  ) {
    super(
      "CONTEXT_EXHAUSTED",
      `The session "${session}" fills ${percent(fraction)} of its context window; the limit is ${percent(threshold)}. Clear it earlier with clearContextNode, or raise thresholds.exhaustion.`,
    );
  }
}

function percent(fraction: number): string {
  return `${Math.round(fraction * 100)} %`;
}

/** What a {@link contextMonitorNode} measured and did. */
export interface ContextReading {
  /** The name of the session. */
  readonly session: string;
  /** `null` if the session does not exist. */
  readonly usage: ContextUsage | null;
  /** The threshold that the usage has reached. */
  readonly level: "ok" | "compaction" | "exhaustion";
  readonly action: ContextAction | "none";
}

/** Settings of a {@link contextMonitorNode}. */
export interface ContextMonitorNodeConfig<State extends BaseState, Item = unknown, Update = unknown> {
  /** @default "context-monitor" */
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  /** The name of the session, as in `agentNode`. */
  readonly session: SessionName<State, Item>;
  readonly thresholds?: ContextThresholds;
  /** What happens from `compaction` on; see `clearContextNode`. @default "summarize" if the agent can, else "recreate" */
  readonly action?: ContextAction;
  /** What happens from `exhaustion` on. @default "warn" if that is the `action`, else "recreate" */
  readonly onExhaustion?: "recreate" | "warn" | "fail";
  /** Receives every reading, before the node acts on it. */
  readonly onUsage?: (usage: ContextUsage, context: ExecutionContext<State, Item>) => void;
  /** Turns the reading into an update. @default `outputs[id] = reading` */
  readonly outputMapper?: (
    reading: ContextReading,
    state: Readonly<State>,
    context: ExecutionContext<State, Item>,
  ) => ExactUpdate<State, Update>;
}

/** Executes a {@link contextMonitorNode}. @throws ContextExhaustedError, CapabilityMissingError, MissingServiceError */
export async function monitorContext<State extends BaseState, Item, Update>(
  id: string,
  config: ContextMonitorNodeConfig<State, Item, Update>,
  context: ExecutionContext<State, Item>,
): Promise<NodeResult<State>> {
  const reading = await monitor(config, context);
  const update =
    (config.outputMapper && mapResult(config.outputMapper, reading, context)) ?? outputOf<State>(id, reading);
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
  // Once per visit of the node, even if the process dies after this. A failure is not journaled.
  const reading = await context.step(
    "reading",
    async () =>
      (await visitSession({ client, ref }, context, (session) =>
        look(session, { ...config, name, client }, context),
      )) ?? null,
  );
  return reading ?? nothing;
}

/** Reads how full the window is, and acts on it while the session is open. */
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
    context.emit({ type: "log", message: `The size of the context window of "${name}" is unknown.` });
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
      // The node's result contains it.
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
