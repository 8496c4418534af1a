import type { AgentEvent } from "../../contracts/index.ts";
import type { SubagentSpawnOptions } from "../model/subagent-runner.ts";

/** Where a sub-agent stands. `queued`: it waits for a place. `waiting`: its provider lets it wait. */
export type SubagentPhase = "queued" | "running" | "stalled" | "waiting" | "completed" | "failed" | "cancelled";

/** A sub-agent, as a list shows it. */
export interface SubagentStatus {
  readonly agentId: string;
  /** The run that delegated the task, if one did. */
  readonly runId?: string;
  /** The name of the agent's definition. */
  readonly agentName: string;
  /** The vendor's agent, where the task names one. */
  readonly agentType?: string;
  readonly task: string;
  readonly phase: SubagentPhase;
  /** How many tools it has begun to use. */
  readonly toolUses: number;
  /** The tool that it uses now. */
  readonly currentTool?: string;
  /** The vendor's session, once it is open. */
  readonly sessionId?: string;
  /** When it left the queue, in milliseconds since 1970. */
  readonly startedAt?: number;
  /** When the next attempt starts, in milliseconds since 1970, while it is `waiting` and where that is known. */
  readonly retryAt?: number;
  /** Why it failed. */
  readonly error?: string;
}

/** A sub-agent that waits or works: its status, its answer so far, and the signal that ends it. */
export class SubagentWork {
  readonly signal: AbortSignal;
  readonly #cancelling = new AbortController();
  readonly #onUpdate: (status: SubagentStatus) => void;
  #status: SubagentStatus;
  #text = "";

  /** @param onUpdate called with each new status, the first included; what it throws is ignored */
  constructor(options: SubagentSpawnOptions, onUpdate: (status: SubagentStatus) => void) {
    const { agentId, runId, agentName, agentType, task, signal } = options;
    this.#onUpdate = onUpdate;
    this.signal = signal === undefined ? this.#cancelling.signal : AbortSignal.any([signal, this.#cancelling.signal]);
    const names = { agentId, agentName, task, ...(runId === undefined ? {} : { runId }) };
    this.#status = { ...names, ...(agentType === undefined ? {} : { agentType }), phase: "queued", toolUses: 0 };
    this.#tell();
  }

  get status(): SubagentStatus {
    return this.#status;
  }

  /** What it has written since its last tool. */
  get text(): string {
    return this.#text;
  }

  /** Since it left the queue. */
  get durationMs(): number {
    const { startedAt } = this.#status;
    return startedAt === undefined ? 0 : Date.now() - startedAt;
  }

  cancel(reason: Error): void {
    this.#cancelling.abort(reason);
  }

  start(): void {
    this.#change({ phase: "running", startedAt: Date.now() });
  }

  opened(sessionId: string): void {
    this.#change({ sessionId });
  }

  end(phase: "completed" | "failed" | "cancelled", error?: string): void {
    this.#leaveTool();
    this.#change({ phase, ...(error === undefined ? {} : { error }) });
  }

  /** Takes what an event of its session says. */
  follow(event: AgentEvent): void {
    switch (event.type) {
      case "stalled":
        return this.#change({ phase: "stalled" });
      case "waiting":
        return this.#change({ phase: "waiting", ...(event.retryAt === undefined ? {} : { retryAt: event.retryAt }) });
      case "tool-start":
        this.#text = "";
        return this.#change({
          phase: "running",
          toolUses: this.#status.toolUses + 1,
          currentTool: event.toolName,
        });
      case "tool-end":
        this.#leaveTool();
        return this.#tell();
      case "text-restart":
        this.#text = "";
        return;
      case "text-delta":
        this.#text += event.text;
        return this.#goOn();
      case "turn-start":
      case "thinking-delta":
        return this.#goOn();
      default:
        return;
    }
  }

  /** A sign of life after silence or a wait. */
  #goOn(): void {
    if (this.#status.phase === "running") return;
    const { retryAt: _over, ...status } = this.#status;
    this.#status = status;
    this.#change({ phase: "running" });
  }

  #leaveTool(): void {
    const { currentTool: _left, ...status } = this.#status;
    this.#status = status;
  }

  #change(change: Partial<SubagentStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.#tell();
  }

  #tell(): void {
    try {
      this.#onUpdate(this.#status);
    } catch {
      // A display must not end the work that it shows.
    }
  }
}
