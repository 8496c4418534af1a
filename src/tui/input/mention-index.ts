import { mentionOf } from "../../contracts/index.ts";
import { safeLine } from "../../view/index.ts";
import {
  type FuzzyTarget,
  fitsFuzzy,
  fuzzyPositions,
  fuzzyScore,
  fuzzyTarget,
  letterMask,
  MAX_SCATTERED_SCORE,
  wholeScore,
} from "../match/fuzzy-match.ts";

/** What follows an `@` at the cursor. */
export interface MentionToken {
  /** The index of the `@`. */
  readonly from: number;
  /** What was typed after it. */
  readonly query: string;
}

/** Something that can be mentioned. */
export interface MentionMatch {
  readonly type: "agent" | "file" | "folder";
  /** The name of the agent, or the path as the project has it. */
  readonly value: string;
  /** The same, safe for the terminal. */
  readonly shown: string;
  readonly description: string;
  /** The matched UTF-16 units of `shown`. */
  readonly positions: readonly number[];
}

/** An agent that can be mentioned. */
export interface MentionedAgent {
  readonly name: string;
  readonly description: string;
}

/** The number of matches that a search returns. */
const MAX_MATCHES = 50;
/** Agents precede files that fit as well. */
const AGENT_BONUS = 50;
/** The longest name that is shown, in columns. */
const MAX_SHOWN_COLUMNS = 500;

interface Candidate {
  readonly type: MentionMatch["type"];
  readonly value: string;
  readonly description: string;
  readonly target: FuzzyTarget;
}

/** The mention at the cursor: an `@` at the start of a word, with no space up to the cursor. */
export function mentionAt(text: string, cursor: number): MentionToken | undefined {
  const match = /(?:^|[\s(])@([^\s@]*)$/.exec(text.slice(0, cursor));
  if (match === null) return undefined;
  const query = match[1] ?? "";
  return { from: cursor - query.length - 1, query };
}

/** Finds files, folders and agents by what was typed. Fast enough for each key in a project of 50,000 files. */
export class MentionIndex {
  readonly #candidates: readonly Candidate[];
  #last: SearchResult | undefined;

  /** @param paths files and folders, relative to the working directory; folders end in `/` */
  constructor(paths: readonly string[], agents: readonly MentionedAgent[] = []) {
    this.#candidates = [
      ...agents.map(({ name, description }) => ({ type: "agent", ...candidate(name), description }) as const),
      ...withFolders(paths).map(
        (path) => ({ type: path.endsWith("/") ? "folder" : "file", ...candidate(path), description: "" }) as const,
      ),
    ];
  }

  /** The best matches, the best first. Without a query: agents, then what is nearest to the working directory. */
  search(query: string): readonly MentionMatch[] {
    const lower = query.toLowerCase();
    if (this.#last?.query !== lower) this.#last = this.#find(lower);
    return this.#last.matches;
  }

  #find(query: string): SearchResult {
    const best: { readonly candidate: Candidate; readonly score: number }[] = [];
    const fitting: Candidate[] = [];
    const mask = letterMask(query);
    // What does not fit a query does not fit a longer one.
    const isLonger = this.#last !== undefined && query.startsWith(this.#last.query);
    for (const each of isLonger ? (this.#last?.fitting ?? []) : this.#candidates) {
      if ((each.target.mask & mask) !== mask || !fitsFuzzy(each.target, query)) continue;
      fitting.push(each);
      const worst = best.length < MAX_MATCHES ? 0 : (best.at(-1)?.score ?? 0);
      const score = scoreOf(each, { query, worst });
      if (score <= worst) continue;
      const at = best.findIndex((other) => other.score < score);
      best.splice(at === -1 ? best.length : at, 0, { candidate: each, score });
      if (best.length > MAX_MATCHES) best.pop();
    }
    const matches = best.map(({ candidate: { type, value, description, target } }) => ({
      type,
      value,
      shown: target.text,
      description,
      positions: query === "" ? [] : fuzzyPositions(target, query),
    }));
    return { query, matches, fitting };
  }
}

interface SearchResult {
  readonly query: string;
  readonly matches: readonly MentionMatch[];
  readonly fitting: readonly Candidate[];
}

function candidate(value: string): { readonly value: string; readonly target: FuzzyTarget } {
  const isPlain = /^[\x21-\x7e]{1,200}$/.test(value);
  // What the agent receives, so that a name with a line break is seen as one.
  const shown = isPlain ? value : safeLine(mentionOf(value).slice(1), MAX_SHOWN_COLUMNS);
  return { value, target: fuzzyTarget(shown) };
}

/** The score of a candidate that fits; 0 when it is certainly not above the worst of the best. */
function scoreOf(each: Candidate, { query, worst }: { readonly query: string; readonly worst: number }): number {
  if (query === "") return scoreOfDepth(each);
  const bonus = each.type === "agent" ? AGENT_BONUS : 0;
  const whole = wholeScore(each.target, query);
  if (whole === undefined && worst >= MAX_SCATTERED_SCORE + bonus) return 0;
  return (whole ?? fuzzyScore(each.target, query)) + bonus;
}

/** Paths near the working directory first. */
function scoreOfDepth({ type, value }: Candidate): number {
  if (type === "agent") return 1_000;
  let depth = type === "folder" ? 0 : 1;
  for (let at = value.indexOf("/"); at !== -1; at = value.indexOf("/", at + 1)) depth += 1;
  return 900 - Math.min(800, depth * 10) - (value.startsWith(".") ? 5 : 0);
}

/** The paths, and each folder before what it contains. */
function withFolders(paths: readonly string[]): readonly string[] {
  const all = new Set<string>();
  for (const path of paths) {
    let at = path.indexOf("/");
    // The folders of a folder that is already known are known too.
    const isKnown = all.has(path.slice(0, path.lastIndexOf("/", path.length - 2) + 1));
    for (; at !== -1 && !isKnown; at = path.indexOf("/", at + 1)) all.add(path.slice(0, at + 1));
    all.add(path);
  }
  return [...all];
}
