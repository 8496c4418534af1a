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

/** The result of checking a context window. */
export interface TrackedContext {
  readonly signals: readonly SignalData[];
  /** Whether the next node starts a new session under the same name. */
  readonly isForgotten: boolean;
}

const NOTHING: TrackedContext = { signals: [], isForgotten: false };

/** How long a node waits for its agent after the answer, in milliseconds. */
export interface TrackLimits {
  /** For the usage of the window. @default 5_000 */
  readonly lookMs?: number;
  /** For a summary, which takes another turn. @default 300_000 */
  readonly summarizeMs?: number;
}

/**
 * Reads how full a session's context window is after a turn, reports it, and shortens a named session from the graph's
 * `contextWindowThreshold` on, if there is one. Where reading costs a call to the agent, it happens only if the result
 * matters. Failures are only logged: they must not lose the turn's work.
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
  // The size of the window is unknown: there is nothing to report.
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
    emit({ type: "log", message: `The agent could not report how full its context window is: ${messageOf(error)}` });
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
