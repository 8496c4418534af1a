import { createHash } from "node:crypto";
import type { Json } from "../../../contracts/index.ts";
import type { CallEnd, KnownCall, NodeCalls } from "../../model/node-calls.ts";
import type { CallSpec } from "./call-spec.ts";
import type { ScriptBranch } from "./script-branches.ts";

/** Settings of {@link ScriptJournal}. */
export interface ScriptJournalOptions {
  readonly calls: NodeCalls;
  /** Changes with the text of the script. */
  readonly version: string;
  readonly warn: (message: string) => void;
}

/** A call that the script makes: a known one, or a new one that has to be started. */
export interface ClaimedCall {
  /** Whether it was in progress, or over, when the attempt started. */
  readonly state: "new" | "started" | "over";
  start(): Promise<CallEnd>;
}

/**
 * Finds the calls of a script in the journal. A call is identified by its branch, what it does, and how many calls of the
 * branch did the same before:
 *
 * 1. A call of the same version of the script is found in any branch, because timing decides about the order in which a
 *    script's own promises make calls; first in its own.
 * 2. A call of another version is found only in its own branch, and only before the first call of the branch, or of what
 *    precedes it, that the journal does not have. What follows a change may depend on it, and runs again.
 * 3. No call is found twice.
 */
export class ScriptJournal {
  readonly #options: ScriptJournalOptions;
  readonly #byKey = new Map<string, KnownCall>();
  readonly #byHash = new Map<string, KnownCall[]>();
  readonly #counts = new Map<string, number>();
  readonly #claimed = new Set<number>();
  readonly #hasOther: boolean;
  #unclaimedOverCount: number;
  #hasWarned = false;

  constructor(options: ScriptJournalOptions) {
    this.#options = options;
    const { calls, version } = options;
    // The latest call with a key replaces those of earlier versions.
    for (const call of calls.known) this.#byKey.set(call.key, call);
    const valid = [...this.#byKey.values()];
    for (const call of valid.filter((known) => known.version === version)) {
      const hash = hashIn(call.key);
      this.#byHash.set(hash, [...(this.#byHash.get(hash) ?? []), call]);
    }
    this.#hasOther = valid.some((call) => call.version !== version);
    this.#unclaimedOverCount = valid.filter((call) => call.isOver).length;
  }

  /** Whether everything so far was done by an earlier attempt, which has also reported it. */
  get isReplaying(): boolean {
    return this.#unclaimedOverCount > 0;
  }

  /** Finds a call, or prepares a new one. */
  claim(branch: ScriptBranch, spec: CallSpec): ClaimedCall {
    const { calls, version } = this.#options;
    const hash = hashOf(spec);
    const place = `${branch.path}:${hash}`;
    const count = (this.#counts.get(place) ?? 0) + 1;
    this.#counts.set(place, count);
    const key = `${place}#${count}`;
    const known = this.#find(key, hash, branch);
    if (known !== undefined) {
      this.#claimed.add(known.index);
      if (known.isOver) this.#unclaimedOverCount--;
      return { state: known.isOver ? "over" : "started", start: () => calls.endOf(known.index) };
    }
    this.#noteChange(branch, spec);
    // The cast is true: a spec has JSON values only.
    return { state: "new", start: () => calls.make({ key, version, spec: spec as unknown as Json }) };
  }

  #find(key: string, hash: string, branch: ScriptBranch): KnownCall | undefined {
    const { version } = this.#options;
    const exact = this.#byKey.get(key);
    if (exact !== undefined && !this.#claimed.has(exact.index)) {
      if (exact.version === version || !branch.isChanged) return exact; // 1, 2
    }
    return this.#byHash.get(hash)?.find(({ index }) => !this.#claimed.has(index)); // 1
  }

  #noteChange(branch: ScriptBranch, { title }: CallSpec): void {
    branch.isChanged = true;
    if (!this.#hasOther) return;
    if (!this.#hasWarned && this.isReplaying) {
      this.#hasWarned = true;
      this.#unclaimedOverCount = 0;
      this.#options.warn(
        `The script has changed since it last ran. What it did before "${title}" is kept; that call and what follows it run now.`,
      );
    }
    // What else is found of the journal without new work has been found by then.
    setImmediate(() => this.#skipUnneeded(branch));
  }

  /** Calls of an earlier version that are in progress, and that nothing can find any more. */
  #skipUnneeded(branch: ScriptBranch): void {
    const { calls, version } = this.#options;
    for (const call of calls.known) {
      const isNeeded = call.isOver || call.version === version || this.#claimed.has(call.index);
      if (isNeeded || !call.key.startsWith(branch.path)) continue;
      this.#claimed.add(call.index);
      calls.skip(call.index);
    }
  }
}

/** Identifies what a call does. Its title is for people: another one does not make it another call. */
function hashOf({ id: _id, title: _title, ...spec }: CallSpec): string {
  return createHash("sha256").update(canonical(spec)).digest("hex").slice(0, 16);
}

function hashIn(key: string): string {
  return key.slice(key.lastIndexOf(":") + 1).replace(/#\d+$/, "");
}

/** JSON in which the order of an object's keys does not count. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`)
    .join(",")}}`;
}
