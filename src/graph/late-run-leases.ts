import type { RunLease, RunLeases, RunLeasesOptions } from "./savers/run-lease.ts";

/** Takes and looks at the leases of runs. What it does is imported when it is used first. */
export class LateRunLeases {
  readonly #options: RunLeasesOptions;
  #leases: Promise<RunLeases> | undefined;

  constructor(options: RunLeasesOptions) {
    this.#options = options;
  }

  /** Takes the lease of a run until it is released or the process ends. @throws RunLockedError */
  async acquire(runId: string): Promise<RunLease> {
    return await (await this.#load()).acquire(runId);
  }

  /** Whether somebody holds the run. */
  async isHeld(runId: string): Promise<boolean> {
    return await (await this.#load()).isHeld(runId);
  }

  #load(): Promise<RunLeases> {
    this.#leases ??= import("./savers/run-lease.ts").then((late) => new late.RunLeases(this.#options));
    return this.#leases;
  }
}
