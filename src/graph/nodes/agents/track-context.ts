import { type CodingAgentClient, type ContextUsage, messageOf, type Session } from "../../../contracts/index.ts";
import { given } from "../../errors/given.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { SignalData } from "../../model/node-definition.ts";
import { abortable } from "../shared/abortable.ts";
import { BUFFER_EXHAUSTION_THRESHOLD } from "./context-thresholds.ts";
import { defaultAction } from "./context-window.ts";

/** A session after its turn, still open. */
export interface TurnedSession {
  readonly client: CodingAgentClient;
  readonly session: Session;
  /** Absent for a session that ends with its node. */
  readonly name: string | undefined;
}

/** What came of looking at a context window. */
export interface TrackedContext {
  readonly signals: readonly SignalData[];
  /** Whether the next node of the session begins a new one. */
  readonly isForgotten: boolean;
}

const NOTHING: TrackedContext = { signals: [], isForgotten: false };

/** How long the node of an agent that has answered waits for more, in milliseconds. */
export interface TrackLimits {
  /** To learn how full the window is. @default 5_000 */
  readonly lookMs?: number;
  /** For a summary, which is a turn of its own. @default 300_000 */
  readonly summarizeMs?: number;
}

/**
 * Reads how full a session's context window is after a turn, reports it, and makes room from the graph's
 * `contextWindowThreshold` on, where it has one and the session goes on. Clients that have to ask the agent are asked only
 * where that matters. What goes wrong is reported: the turn's work must not be lost over it.
 */
export async function trackContext(
  turned: TurnedSession,
  context: Pick<ExecutionContext, "emit" | "signal" | "contextWindowThreshold">,
  { lookMs = 5_000, summarizeMs = 300_000 }: TrackLimits = {},
): Promise<TrackedContext> {
  const { client, name } = turned;
  const { contextWindowThreshold: threshold } = context;
  const isWanted = client.hasFreeContextUsage === true || name !== undefined || threshold !== undefined;
  if (!client.capabilities.contextUsage || !isWanted) return NOTHING;
  const usage = await look(turned, context, lookMs);
  // Where nobody knows the size of the window there is nothing to report.
  if (usage === undefined || usage.maxTokens <= 0) return NOTHING;
  const { fraction } = usage;
  const about = given({ session: name });
  if (fraction < (threshold ?? BUFFER_EXHAUSTION_THRESHOLD)) {
    context.emit({ type: "context-window", ...about, fraction, action: "none" });
    return NOTHING;
  }
  const action = name === undefined || threshold === undefined ? "warn" : await makeRoom(turned, context, summarizeMs);
  const warning = { type: "context_window_warning", ...about, usage: fraction, action } as const;
  return { signals: [warning], isForgotten: action === "recreate" };
}

async function look(
  { session }: TurnedSession,
  { emit, signal }: Pick<ExecutionContext, "emit" | "signal">,
  timeoutMs: number,
): Promise<ContextUsage | undefined> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    return await abortable(() => session.getContextUsage(), { signal: bounded, stop: async () => undefined });
  } catch (error) {
    signal.throwIfAborted();
    emit({ type: "log", message: `The agent could not tell how full its context window is: ${messageOf(error)}` });
    return undefined;
  }
}

async function makeRoom(
  { client, session }: TurnedSession,
  { emit, signal }: Pick<ExecutionContext, "emit" | "signal">,
  timeoutMs: number,
): Promise<"summarize" | "recreate" | "warn"> {
  const action = defaultAction(client);
  if (action === "recreate") return action;
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    await abortable(() => session.summarize(), { signal: bounded, stop: () => session.abort() });
    return action;
  } catch (error) {
    signal.throwIfAborted();
    emit({ type: "log", message: `The agent could not summarize its conversation: ${messageOf(error)}` });
    return "warn";
  }
}
