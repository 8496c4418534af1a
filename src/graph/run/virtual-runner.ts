import type { NodeEmission } from "../../contracts/index.ts";
import type { Task } from "../decide/records/run-state.ts";
import type { PortEvent } from "../decide/run-port.ts";
import { LocalRunner, type LocalRunnerOptions } from "./local-runner.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** Options of a {@link VirtualRunner}. */
export interface VirtualRunnerOptions extends Omit<LocalRunnerOptions, "now" | "elapsedMs" | "setTimer"> {
  readonly clock: VirtualClock;
  /**
   * How long running nodes may be silent before the clock advances, in real milliseconds.
   * @default as long as they like, unless each waits for the clock itself
   */
  readonly patienceMs?: number;
}

/** How long nodes that all wait for the clock may be silent, in real milliseconds: what they started may still report. */
const QUIET_MS = 5;

/** Runs nodes in this process, on a clock that advances whenever nothing else can happen. */
export class VirtualRunner extends LocalRunner {
  readonly #clock: VirtualClock;
  readonly #patienceMs: number;
  /** Nodes that only wait for other nodes, as a script does for its agents. */
  readonly #resting = new Set<Task>();
  #patience: ReturnType<typeof setTimeout> | undefined;

  constructor({ clock, patienceMs = Number.POSITIVE_INFINITY, ...options }: VirtualRunnerOptions) {
    super({ ...options, now: clock.now, elapsedMs: clock.now, setTimer: clock.setTimer });
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    // A node that resumes its time limit may be the only one left to wait for.
    clock.onSet = () => {
      if (this.isAwaited) this.#beginPatience();
    };
  }

  override nextEvent(): PortEvent | Promise<PortEvent> {
    const next = super.nextEvent();
    // A timer that is very far ahead takes several steps.
    while (this.isAwaited && !this.isBusy && this.#clock.hasTimers) this.#clock.advance();
    if (this.isAwaited) this.#beginPatience();
    return next;
  }

  override tell(event: PortEvent): void {
    this.#endPatience();
    if ("task" in event) this.#noteRest(event);
    super.tell(event);
  }

  override watchCalls(task: Task, onEnd: () => void): void {
    super.watchCalls(task, () => {
      this.#resting.delete(task);
      onEnd();
    });
  }

  override abandonTask(task: Task): void {
    this.#resting.delete(task);
    super.abandonTask(task);
  }

  #noteRest(event: Extract<PortEvent, { readonly task: Task }>): void {
    const isResting = event.type === "calls-rest" || (event.type === "idle" && event.isIdle);
    if (isResting) this.#resting.add(event.task);
    else if (event.type !== "usage") this.#resting.delete(event.task);
  }

  override emit(task: Task, event: NodeEmission): void {
    super.emit(task, event);
    if (this.isAwaited) this.#beginPatience();
  }

  override async close(graceMs: number): Promise<void> {
    this.#endPatience();
    await super.close(graceMs);
    this.#endPatience();
  }

  #beginPatience(): void {
    this.#endPatience();
    const workingCount = this.busyCount - this.#resting.size;
    const isAsleep = workingCount > 0 && this.#clock.sleeperCount >= workingCount;
    if (!this.#clock.hasTimers) {
      if (isAsleep) this.#patience = setTimeout(() => this.#clock.onStuck?.(), QUIET_MS);
      return;
    }
    const patienceMs = isAsleep ? Math.min(QUIET_MS, this.#patienceMs) : this.#patienceMs;
    if (patienceMs === Number.POSITIVE_INFINITY) return;
    this.#patience = setTimeout(() => {
      this.#clock.advance();
      if (this.isAwaited) this.#beginPatience();
    }, patienceMs);
  }

  #endPatience(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
  }
}
