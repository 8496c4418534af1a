import {
  type PermissionDecision,
  type PermissionHandler,
  type PermissionRequest,
  permissionKey,
  raceAbort,
} from "../../contracts/index.ts";
import type { OneAtATime } from "./one-at-a-time.ts";

/** A question for a person. */
export interface SharedQuestion {
  /** The call, with the steps that want it. */
  readonly request: PermissionRequest;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** The steps that want the same call since the question is open: the answer is for them, too. */
  readonly joined: () => readonly string[];
}

/** Asks a person about a request, when it is its turn. */
type AskPerson = (question: SharedQuestion) => Promise<PermissionDecision>;

/** Equal requests that wait for one answer. */
interface Shared {
  /** The steps whose agents make the call, in the order in which they asked. */
  readonly steps: Set<string>;
  /** How many of the agents still wait. */
  waitingCount: number;
  /** Whether the person sees the question. */
  isOpen: boolean;
  readonly withdrawal: AbortController;
  readonly decision: Promise<PermissionDecision>;
}

/**
 * Asks a person once for equal requests of several agents that wait at the same time: the answer is for all of them. A call
 * that the person allows for longer than once is not asked about again while this process works. Requests that can only be
 * allowed once have a question each. There is one question at a time.
 */
export function shareAnswers(ask: AskPerson, oneAtATime: OneAtATime): PermissionHandler {
  const allowed = new Set<string>();
  const waiting = new Map<string, Shared>();

  const begin = (request: PermissionRequest, equality: string): Shared => {
    const steps = new Set<string>();
    const withdrawal = new AbortController();
    const decide = async (): Promise<PermissionDecision> => {
      if (withdrawal.signal.aborted) return CANCELLED;
      shared.isOpen = true;
      try {
        const key = permissionKey(request);
        // The answer to an earlier question may cover this call, too.
        if (allowed.has(key)) return { type: "allow", scope: "session" };
        const shown = new Set(steps);
        const decided = await ask({
          request: { ...request, ...describeSteps(shown) },
          signal: withdrawal.signal,
          joined: () => [...steps].filter((step) => !shown.has(step)),
        });
        if (decided.type === "allow" && decided.scope !== undefined && decided.scope !== "once") allowed.add(key);
        return decided;
      } finally {
        if (waiting.get(equality) === shared) waiting.delete(equality);
      }
    };
    const shared: Shared = { steps, waitingCount: 0, isOpen: false, withdrawal, decision: oneAtATime(decide) };
    return shared;
  };

  return async (request, { signal }) => {
    if (signal.aborted) return CANCELLED;
    if (request.isOnce === true) return await oneAtATime(() => ask({ request, signal, joined: () => [] }));
    if (allowed.has(permissionKey(request))) return { type: "allow", scope: "session" };
    const equality = JSON.stringify({ ...request, id: "", sessionId: "", step: "" });
    const shared = waiting.get(equality) ?? begin(request, equality);
    waiting.set(equality, shared);
    if (request.step !== undefined) shared.steps.add(request.step);
    shared.waitingCount++;
    try {
      return await raceAbort(shared.decision, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      // The last agent that leaves withdraws the question.
      if (shared.waitingCount > 1) return CANCELLED;
      waiting.delete(equality);
      shared.withdrawal.abort(signal.reason);
      return shared.isOpen ? await shared.decision : CANCELLED;
    } finally {
      shared.waitingCount--;
    }
  };
}

const CANCELLED: PermissionDecision = { type: "deny", reason: "The turn was cancelled." };

/** How many steps a question names. */
const MAX_NAMED_STEPS = 3;

function describeSteps(steps: ReadonlySet<string>): Pick<PermissionRequest, "step"> {
  return steps.size === 0 ? {} : { step: nameSteps([...steps]) };
}

/** The names of steps for a line; of many, the first ones. */
export function nameSteps(steps: readonly string[]): string {
  if (steps.length <= MAX_NAMED_STEPS) return steps.join(", ");
  return `${steps.slice(0, MAX_NAMED_STEPS).join(", ")} and ${steps.length - MAX_NAMED_STEPS} others`;
}
