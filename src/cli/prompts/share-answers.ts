import { setTimeout as sleep } from "node:timers/promises";
import {
  type PermissionDecision,
  type PermissionHandler,
  type PermissionRequest,
  permissionKey,
  raceAbort,
} from "../../contracts/index.ts";
import type { OneAtATime } from "./one-at-a-time.ts";

/** Asks a person about a request, when it is its turn. */
type AskPerson = (request: PermissionRequest, signal: AbortSignal) => Promise<PermissionDecision>;

/** Equal requests of different sessions that wait for one answer. */
interface Group {
  readonly steps: Set<string>;
  readonly sessionIds: Set<string>;
  /** How many of the agents still wait. */
  waitingCount: number;
  /** Whether the person sees the question; nobody joins any more. */
  isOpen: boolean;
  readonly withdrawal: AbortController;
  readonly decision: Promise<PermissionDecision>;
}

/** Settings of {@link shareAnswers}. */
export interface ShareAnswersOptions {
  /** There is one question at a time. */
  readonly oneAtATime: OneAtATime;
  /** How long a question waits for equal requests of other branches, in milliseconds. @default 300 */
  readonly gatheringMs?: number;
}

/**
 * Asks a person once for equal requests of several agents that wait at the same time: the question names their steps, and the
 * answer is for these. A request that comes when the question is on the screen waits for the next one, and so does a second
 * one of the same session. A call that the person allows for longer than once needs no other answer while this process
 * works. Requests that can only be allowed once have a question each.
 */
export function shareAnswers(
  ask: AskPerson,
  { oneAtATime, gatheringMs = 300 }: ShareAnswersOptions,
): PermissionHandler {
  const allowed = new Set<string>();
  const waiting = new Map<string, readonly Group[]>();

  const leave = (equality: string, group: Group): void => {
    const others = (waiting.get(equality) ?? []).filter((other) => other !== group);
    if (others.length === 0) waiting.delete(equality);
    else waiting.set(equality, others);
  };

  const begin = (request: PermissionRequest, equality: string): Group => {
    const withdrawal = new AbortController();
    const decide = async (): Promise<PermissionDecision> => {
      const key = allowedKeyOf(request);
      // The answer to an earlier question may cover this call, too.
      if (allowed.has(key)) return { type: "allow", scope: "session" };
      await sleep(gatheringMs, undefined, { signal: withdrawal.signal }).catch(() => undefined);
      leave(equality, group);
      if (withdrawal.signal.aborted) return CANCELLED;
      group.isOpen = true;
      const decided = await ask({ ...request, ...describeSteps(group.steps) }, withdrawal.signal);
      if (decided.type === "allow" && decided.scope !== undefined && decided.scope !== "once") allowed.add(key);
      return decided;
    };
    const decision = oneAtATime(decide);
    const group: Group = {
      steps: new Set(),
      sessionIds: new Set(),
      waitingCount: 0,
      isOpen: false,
      withdrawal,
      decision,
    };
    waiting.set(equality, [...(waiting.get(equality) ?? []), group]);
    return group;
  };

  return async (request, { signal }) => {
    if (signal.aborted) return CANCELLED;
    if (request.isOnce === true) return await oneAtATime(() => ask(request, signal));
    if (allowed.has(allowedKeyOf(request))) return { type: "allow", scope: "session" };
    const equality = JSON.stringify({ ...request, id: "", sessionId: "", step: "" });
    const joinable = (waiting.get(equality) ?? []).find(({ sessionIds }) => !sessionIds.has(request.sessionId));
    const group = joinable ?? begin(request, equality);
    group.sessionIds.add(request.sessionId);
    if (request.step !== undefined) group.steps.add(request.step);
    group.waitingCount++;
    try {
      return await raceAbort(group.decision, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      // The last agent that leaves withdraws the question.
      if (group.waitingCount > 1) return CANCELLED;
      leave(equality, group);
      group.withdrawal.abort(signal.reason);
      return group.isOpen ? await group.decision : CANCELLED;
    } finally {
      group.waitingCount--;
    }
  };
}

/** What a lasting approval covers: the call, and where it is made. */
function allowedKeyOf(request: PermissionRequest): string {
  return JSON.stringify([permissionKey(request), request.workingDirectory ?? ""]);
}

const CANCELLED: PermissionDecision = { type: "deny", reason: "The turn was cancelled." };

/** How many steps a question names. */
const MAX_NAMED_STEPS = 3;

function describeSteps(steps: ReadonlySet<string>): Pick<PermissionRequest, "step"> {
  const all = [...steps];
  if (all.length === 0) return {};
  if (all.length <= MAX_NAMED_STEPS) return { step: all.join(", ") };
  return { step: `${all.slice(0, MAX_NAMED_STEPS).join(", ")} and ${all.length - MAX_NAMED_STEPS} others` };
}
