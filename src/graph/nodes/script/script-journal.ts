import { createHash } from "node:crypto";
import type { Json } from "../../../contracts/index.ts";
import type { CallEnd, KnownCall, NodeCall, NodeCalls } from "../../model/node-calls.ts";
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
 * branch did the same before: its key.
 *
 * 1. A call is found by its key alone. The ends of calls arrive in the same order in every attempt, so the script's own
 *    promises make the same calls under the same keys, too.
 * 2. Calls that were made since the script last changed are always found. One of them was new in its branch: from there on,
 *    the branch is changed.
 * 3. A call of an earlier version is found until its branch is changed. What follows a change may depend on it, and runs again.
 * 4. The calls that a changed branch finds no more are replaced, which is journaled with the next new call. No version of the
 *    script finds them again, not even their own.
 */
export class ScriptJournal {
  readonly #options: ScriptJournalOptions;
  readonly #byKey = new Map<string, KnownCall>();
  readonly #counts = new Map<string, number>();
  readonly #claimed = new Set<number>();
  /** The last call that another version made, or -1. */
  readonly #lastOther: number;
  /** Replaced calls of which the journal does not say so yet. */
  readonly #replaced: number[] = [];
  #unclaimedOverCount: number;
  #isChanged = false;

  constructor(options: ScriptJournalOptions) {
    this.#options = options;
    const { calls, version } = options;
    const { known } = calls;
    this.#lastOther = known.findLastIndex((call) => call.version !== version);
    const replaced = new Set(known.flatMap(({ replaces = [] }) => replaces));
    for (const call of known) {
      // The latest call with a key replaces those of earlier versions.
      if (!replaced.has(call.index)) this.#byKey.set(call.key, call);
      else if (!call.isOver) calls.skip(call.index);
    }
    this.#unclaimedOverCount = [...this.#byKey.values()].filter((call) => call.isOver).length;
  }

  /** Whether everything so far was done by an earlier attempt, which has also reported it. */
  get isReplaying(): boolean {
    return this.#unclaimedOverCount > 0;
  }

  /** Finds a call, or prepares a new one. */
  claim(branch: ScriptBranch, spec: CallSpec): ClaimedCall {
    const { calls, version } = this.#options;
    const place = `${branch.path}:${hashOf(spec)}`;
    const count = (this.#counts.get(place) ?? 0) + 1;
    this.#counts.set(place, count);
    const key = `${place}#${count}`;
    const known = this.#byKey.get(key);
    if (known !== undefined && (this.#isCurrent(known) || !branch.isChanged)) {
      this.#claimed.add(known.index);
      if (known.isOver) this.#unclaimedOverCount--;
      if (this.#isCurrent(known)) this.#noteChange(branch);
      return { state: known.isOver ? "over" : "started", start: () => calls.endOf(known.index) };
    }
    if (this.#lastOther >= 0) this.#changeFrom(branch, spec);
    // The cast is true: a spec has JSON values only.
    const call = { key, version, spec: spec as unknown as Json };
    return { state: "new", start: () => calls.make({ ...call, ...this.#takeReplaced() }) };
  }

  #isCurrent(call: KnownCall): boolean {
    return call.index > this.#lastOther;
  }

  #noteChange(branch: ScriptBranch): void {
    branch.isChanged = true;
    this.#isChanged = true;
  }

  #changeFrom(branch: ScriptBranch, { title }: CallSpec): void {
    const wasChanged = this.#isChanged;
    const wasReplaying = this.isReplaying;
    this.#unclaimedOverCount = 0;
    this.#noteChange(branch);
    const hasReplaced = this.#replaceRest(branch);
    // An earlier attempt has said where its own changes are, and a call after all others is no change.
    if ((wasReplaying || hasReplaced) && !wasChanged) {
      this.#options.warn(
        `The script has changed since it last ran. What it did before "${title}" is kept; that call and what follows it run now.`,
      );
    }
  }

  /**
   * What no branch finds any more, now that one is changed. Branches in it that have started find theirs.
   * @returns whether there is any, finished or not
   */
  #replaceRest(branch: ScriptBranch): boolean {
    const count = this.#replaced.length;
    for (const [key, call] of this.#byKey) {
      if (this.#isCurrent(call) || this.#claimed.has(call.index) || !key.startsWith(branch.path)) continue;
      if (!branch.nearestTo(key.slice(0, key.lastIndexOf(":"))).isChanged) continue;
      this.#byKey.delete(key);
      this.#replaced.push(call.index);
      if (!call.isOver) this.#options.calls.skip(call.index);
    }
    return this.#replaced.length > count;
  }

  #takeReplaced(): Pick<NodeCall, "replaces"> {
    return this.#replaced.length === 0 ? {} : { replaces: this.#replaced.splice(0) };
  }
}

/** Identifies what a call does. Its title is for people: another one does not make it another call. */
function hashOf({ id: _id, title: _title, ...spec }: CallSpec): string {
  return createHash("sha256").update(canonical(spec)).digest("hex").slice(0, 16);
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
