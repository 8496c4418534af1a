import { setTimeout as sleep } from "node:timers/promises";
import { PermissionGateMissingError } from "../../../contracts/index.ts";

/** How long a folder's plugin may take to report in after OpenCode has opened the folder, in milliseconds. */
const REPORT_GRACE_MS = 5_000;

/** The folders in which an OpenCode process has loaded the plugin that sends tool calls to Atomic. */
export class PluginGates {
  readonly #directories = new Set<string>();
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #agentType: string;

  constructor(agentType: string) {
    this.#agentType = agentType;
  }

  /** The plugin of a folder has reported in. */
  add(directory: string): void {
    this.#directories.add(directory);
    for (const resolve of this.#waiting.get(directory) ?? []) resolve();
    this.#waiting.delete(directory);
  }

  /** OpenCode has closed a folder: when it opens the folder again, the plugin must report in again. */
  remove(directory: string): void {
    this.#directories.delete(directory);
  }

  has(directory: string): boolean {
    return this.#directories.has(directory);
  }

  /** Waits for the plugin of a folder that OpenCode has opened. @throws PermissionGateMissingError */
  async require(directory: string, { graceMs = REPORT_GRACE_MS }: { readonly graceMs?: number } = {}): Promise<void> {
    if (this.has(directory)) return;
    const waiting = this.#waiting.get(directory) ?? new Set();
    this.#waiting.set(directory, waiting);
    const timeout = new AbortController();
    const late = sleep(graceMs, undefined, { signal: timeout.signal }).catch(() => {
      // It has reported in.
    });
    await Promise.race([new Promise<void>((resolve) => waiting.add(resolve)), late]);
    timeout.abort();
    if (this.has(directory)) return;
    throw new PermissionGateMissingError(this.#agentType, `its plugin did not load in ${directory}`);
  }
}
