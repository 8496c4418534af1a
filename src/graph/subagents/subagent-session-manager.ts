import { type AgentReply, AtomicError, messageOf, noRedaction, withResolvers } from "../../contracts/index.ts";
import type { ClientProvider } from "../model/execution-context.ts";
import type { SubagentResult, SubagentSpawnOptions } from "../model/subagent-runner.ts";
import { boundText } from "../nodes/shared/bound-text.ts";
import { pauseAll, startTimeLimit } from "../run/node-timer.ts";
import { converseInSession } from "./converse-in-session.ts";
import { type SubagentStatus, SubagentWork } from "./subagent-work.ts";
import { waitForAll } from "./wait-for-all.ts";

/** Somebody cancelled a sub-agent. */
export class SubagentCancelledError extends AtomicError {
  readonly isRetryable = false;

  constructor(readonly agentId: string) {
    super("SUBAGENT_CANCELLED", `The sub-agent "${agentId}" was cancelled.`);
  }
}

/** A sub-agent did not finish within the time limit of its task. */
export class SubagentTimeoutError extends AtomicError {
  constructor(
    readonly agentId: string,
    readonly timeoutMs: number,
  ) {
    super("SUBAGENT_TIMEOUT", `The sub-agent "${agentId}" exceeded its time limit of ${timeoutMs} ms.`);
  }
}

/** A sub-agent with the same id is still at work. */
export class SubagentBusyError extends AtomicError {
  constructor(readonly agentId: string) {
    super("SUBAGENT_BUSY", `A sub-agent with the id "${agentId}" is already at work. Give each task an id of its own.`);
  }
}

/** Settings of a {@link SubagentSessionManager}. */
export interface SubagentSessionManagerOptions {
  readonly clients: ClientProvider;
  /** How many sub-agents work at the same time; others wait, the first come first. @default 5 */
  readonly maxConcurrent?: number;
  /** The longest answer in a result without a `maxOutputLength` of its own, in characters. @default 2_000 */
  readonly maxOutputLength?: number;
  /** Called when a sub-agent begins to wait, to work, to use a tool, and when it ends. */
  readonly onStatusUpdate?: (status: SubagentStatus) => void;
}

/** How many sub-agents of a manager work at the same time, unless its options say otherwise. */
export const DEFAULT_MAX_CONCURRENT_SUBAGENTS = 5;

/** How much of a sub-agent's answer is in its result, in characters. */
export const DEFAULT_MAX_SUBAGENT_OUTPUT_LENGTH = 2_000;

/**
 * Runs sub-agents, each in a session of its own, a limited number of them at the same time.
 *
 * ```ts
 * const manager = new SubagentSessionManager({ clients: () => client });
 * const results = await manager.spawnParallel([
 *   { agentId: "a", agentName: "explore", task: "Find the tests." },
 *   { agentId: "b", agentName: "explore", task: "Find the documentation." },
 * ]);
 * ```
 */
export class SubagentSessionManager {
  readonly #options: Required<Omit<SubagentSessionManagerOptions, "onStatusUpdate">>;
  readonly #onStatusUpdate: (status: SubagentStatus) => void;
  /** All that wait or work, by {@link keyOf}, in the order in which they came. */
  readonly #works = new Map<string, SubagentWork>();
  #runningCount = 0;
  readonly #waiting: (() => void)[] = [];

  /** @throws RangeError for a limit below 1 */
  constructor(options: SubagentSessionManagerOptions) {
    const {
      maxConcurrent = DEFAULT_MAX_CONCURRENT_SUBAGENTS,
      maxOutputLength = DEFAULT_MAX_SUBAGENT_OUTPUT_LENGTH,
      onStatusUpdate = () => {},
    } = options;
    if (!(maxConcurrent >= 1)) throw new RangeError(`maxConcurrent must be at least 1, not ${maxConcurrent}.`);
    this.#options = { clients: options.clients, maxConcurrent, maxOutputLength };
    this.#onStatusUpdate = onStatusUpdate;
  }

  /** The sub-agents that wait or work, by their ids; with the run's id and a slash in front where a run delegated them. */
  get activeSessions(): ReadonlyMap<string, SubagentStatus> {
    return new Map([...this.#works].map(([key, work]) => [key, work.status]));
  }

  /**
   * Runs a sub-agent to its end, as soon as there is a place. A failure is a result.
   * @throws SubagentBusyError; the reason of `signal`
   */
  async spawn(options: SubagentSpawnOptions): Promise<SubagentResult> {
    const key = keyOf(options);
    if (this.#works.has(key)) throw new SubagentBusyError(options.agentId);
    const work = new SubagentWork(options, this.#onStatusUpdate);
    this.#works.set(key, work);
    try {
      const result = await this.#runInTurn(options, work);
      options.signal?.throwIfAborted();
      return result;
    } finally {
      this.#works.delete(key);
    }
  }

  /**
   * Runs sub-agents side by side. The results have the order of the tasks; one failure does not end the others.
   * @throws SubagentBusyError; the reason of the first signal that was aborted
   */
  async spawnParallel(agents: readonly SubagentSpawnOptions[]): Promise<SubagentResult[]> {
    return await waitForAll(agents.map((options) => this.spawn(options)));
  }

  /** Cancels the sub-agents with this id. Their results are failures. @returns whether there was one */
  cancel(agentId: string): boolean {
    const works = [...this.#works.values()].filter(({ status }) => status.agentId === agentId);
    for (const work of works) work.cancel(new SubagentCancelledError(agentId));
    return works.length > 0;
  }

  /** Cancels all sub-agents that wait or work. @returns how many there were */
  cancelAll(): number {
    const works = [...this.#works.values()];
    for (const work of works) work.cancel(new SubagentCancelledError(work.status.agentId));
    return works.length;
  }

  async #runInTurn(options: SubagentSpawnOptions, work: SubagentWork): Promise<SubagentResult> {
    try {
      await this.#takePlace(work.signal);
    } catch (error) {
      return this.#failed(options, work, error);
    }
    work.start();
    const { agentId, timeoutMs, stopTimeout: stopNode } = options;
    const timer = startTimeLimit(timeoutMs, (limitMs) => work.cancel(new SubagentTimeoutError(agentId, limitMs)));
    const stopTimeout = (): (() => void) => pauseAll([() => timer.pause(), stopNode]);
    try {
      const reply = await converseInSession(this.#options.clients, { ...options, stopTimeout }, work);
      return this.#completed(options, work, reply);
    } catch (error) {
      return this.#failed(options, work, error);
    } finally {
      timer.stop();
      this.#leavePlace();
    }
  }

  /** @throws the signal's reason */
  async #takePlace(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#runningCount < this.#options.maxConcurrent) {
      this.#runningCount++;
      return;
    }
    const { promise, resolve, reject } = withResolvers<void>();
    const take = (): void => {
      signal.removeEventListener("abort", stopWaiting);
      resolve();
    };
    const stopWaiting = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(take), 1);
      reject(signal.reason);
    };
    this.#waiting.push(take);
    signal.addEventListener("abort", stopWaiting, { once: true });
    await promise;
  }

  #leavePlace(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#runningCount--;
    else next();
  }

  #completed(options: SubagentSpawnOptions, work: SubagentWork, reply: AgentReply): SubagentResult {
    const { content, structured, toolUses, usage } = reply;
    work.end("completed");
    return {
      success: true,
      agentId: options.agentId,
      ...this.#outputOf(options, content),
      ...(options.outputSchema === undefined ? {} : { structured }),
      toolUses,
      durationMs: work.durationMs,
      usage,
    };
  }

  #failed(options: SubagentSpawnOptions, work: SubagentWork, cause: unknown): SubagentResult {
    const error = messageOf(cause);
    work.end(cause instanceof SubagentCancelledError || options.signal?.aborted ? "cancelled" : "failed", error);
    return {
      success: false,
      agentId: options.agentId,
      ...this.#outputOf(options, work.text),
      error,
      cause,
      toolUses: work.status.toolUses,
      durationMs: work.durationMs,
    };
  }

  #outputOf(
    { maxOutputLength = this.#options.maxOutputLength, redactor = noRedaction }: SubagentSpawnOptions,
    answer: string,
  ) {
    // Before it is cut: half a secret cannot be recognised.
    const content = redactor.text(answer);
    const output = boundText(content, maxOutputLength);
    return output === content ? { output } : { output, isTruncated: true, fullOutput: content };
  }
}

function keyOf({ runId, agentId }: SubagentSpawnOptions): string {
  return runId === undefined ? agentId : `${runId}/${agentId}`;
}
