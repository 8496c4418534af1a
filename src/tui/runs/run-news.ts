import { formatDuration, safeLine, safeText } from "../../view/index.ts";
import { describeItem } from "../host/describe-item.ts";
import type { InboxItem, RunState, RunSummary, RunsPort } from "../host/runs-port.ts";
import { inboxKey } from "./inbox-lines.ts";

/** What {@link RunNews} uses. */
export interface RunNewsOptions {
  readonly port: Pick<RunsPort, "list" | "load" | "loadInbox">;
  readonly now: () => number;
  /** Receives a line for the person. */
  readonly say: (text: string, tone: "info" | "warning") => void;
  /** The keys that show the inbox and the runs. @default none are named */
  readonly keys?: { readonly inbox: string; readonly runs: string };
  /** Calls a function later. Returns what prevents that. @default a timer of 3 seconds */
  readonly later?: (run: () => void) => () => void;
}

const POLL_MS = 3_000;
/** So many lines of an output are shown, each so long. */
const MAX_LINES = 5;
const MAX_LINE_LENGTH = 200;
/** So many looks in a row may show an end that was said already, before a process is no longer expected to continue the run. */
const MAX_STALE_LOOKS = 20;
const ENDED: readonly RunState[] = ["completed", "failed", "cancelled", "interrupted"];

/** Says when runs wait for a person or have ended. Reads only while it follows runs. */
export class RunNews {
  readonly #options: RunNewsOptions;
  /** How often each run was looked at without news of its end. */
  readonly #followed = new Map<string, number>();
  /** The ends that were said last, by the runs' ids. */
  readonly #saidEnds = new Map<string, string>();
  /** The items of the inbox that were said. */
  readonly #said = new Set<string>();
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(options: RunNewsOptions) {
    this.#options = options;
  }

  /** Follows a run until it has ended: for the first time, or after a process was started that continues it. */
  follow(runId: string): void {
    this.#followed.set(runId, 0);
    if (this.#cancel === undefined) this.#plan();
  }

  /** The runs continue. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #plan(): void {
    if (!this.#isStopped) this.#cancel = (this.#options.later ?? wait)(() => void this.#poll());
  }

  /** What cannot be read now may be readable next time. */
  async #poll(): Promise<void> {
    const { port } = this.#options;
    const [runs, inbox] = await Promise.all([port.list().catch(() => []), port.loadInbox().catch(() => [])]);
    if (this.#isStopped) return;
    for (const item of inbox) this.#sayItem(item);
    for (const run of runs) if (this.#followed.has(run.id) && ENDED.includes(run.state)) await this.#takeEnd(run);
    this.#cancel = undefined;
    if (this.#followed.size > 0) this.#plan();
  }

  #sayItem(item: InboxItem): void {
    const key = inboxKey(item);
    if (!this.#followed.has(item.runId) || this.#said.has(key)) return;
    this.#said.add(key);
    this.#options.say(
      `${nameOf(item.workflow, item.runId)} asks: ${safeLine(describeItem(item), 200)}${keyText(this.#options.keys?.inbox)}`,
      "warning",
    );
  }

  /** An end that was said already is that of an earlier process: the next one has not taken the run yet. */
  async #takeEnd(run: RunSummary): Promise<void> {
    const { id, state, execution } = run;
    const end = `${state} ${execution ?? ""}`;
    if (execution === undefined || this.#saidEnds.get(id) !== end) {
      this.#saidEnds.set(id, end);
      return await this.#sayEnd(run);
    }
    const looks = (this.#followed.get(id) ?? 0) + 1;
    if (looks < MAX_STALE_LOOKS) this.#followed.set(id, looks);
    else this.#followed.delete(id);
  }

  async #sayEnd({ id, workflow, state, startedAt }: RunSummary): Promise<void> {
    const { port, now, say, keys } = this.#options;
    this.#followed.delete(id);
    const details = await port.load(id).catch(() => undefined);
    if (this.#isStopped) return;
    const lines = safeText(details?.output ?? details?.error?.message ?? "")
      .trim()
      .split("\n");
    const shown = lines.slice(0, MAX_LINES).map((line) => safeLine(line, MAX_LINE_LENGTH));
    const head = `${nameOf(workflow, id)} ${state} after ${formatDuration(now() - startedAt)}${keyText(keys?.runs)}`;
    say([head, ...shown].join("\n").trimEnd(), state === "completed" ? "info" : "warning");
  }
}

function keyText(key: string | undefined): string {
  return key === undefined ? "" : ` · ${key}`;
}

function nameOf(workflow: string, runId: string): string {
  return `${safeLine(workflow, 40)} ${runId.slice(0, 4)}`;
}

function wait(run: () => void): () => void {
  const timer = setTimeout(run, POLL_MS);
  return () => clearTimeout(timer);
}
