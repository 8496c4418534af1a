import { nearestName } from "../../contracts/index.ts";

/** What the built-in reviewers look for, and how. */
export const REVIEW_FOCUSES: Readonly<Record<string, string>> = {
  bugs: "Find mistakes that make the program do something wrong: faulty conditions, missing cases, off-by-one errors, unhandled failures, races, resources that stay open, broken callers of what changed, data that is lost.",
  security:
    "Find what an attacker could use: injection into commands, queries, paths or pages, missing checks of permissions, secrets in code or logs, unsafe parsing of untrusted input, weak cryptography, unsafe defaults.",
  tests:
    "Find what the tests miss: changed behaviour without a test, assertions that cannot fail, tests that depend on time, order or a network, cases at the edges that nothing covers.",
  simplicity:
    "Find what is harder than necessary: code that nothing uses, a helper that exists already in this project, duplication, indirection without a purpose, names that mislead. Report only what a maintainer would want changed.",
};

/** The focuses of a review without settings. */
export const DEFAULT_REVIEWERS: readonly string[] = Object.keys(REVIEW_FOCUSES);

/** A reviewer with a focus of the caller's own. */
export interface CustomReviewer {
  /** A name in lower case: `performance`. */
  readonly focus: string;
  /** The vendor's agent. @default the next of `agents`, or else the run's */
  readonly agent?: string | undefined;
  /** What to look for. @default that of the built-in reviewer of this name */
  readonly instructions?: string | undefined;
}

/** A reviewer that is ready to start. */
export interface Reviewer {
  /** The id of its node. */
  readonly nodeId: string;
  readonly focus: string;
  /** Absent for the run's agent. */
  readonly agent?: string;
  readonly instructions: string;
}

/**
 * Reads the settings of the reviewers: `bugs`, `bugs@claude`, or an object. Those without an agent take turns with `agents`.
 *
 * @returns the reviewers, and what is wrong with the settings, in whole sentences
 */
export function resolveReviewers(
  settings: readonly (string | CustomReviewer)[],
  agents: readonly string[],
): { readonly reviewers: readonly Reviewer[]; readonly problems: readonly string[] } {
  const reviewers: Reviewer[] = [];
  const problems: string[] = [];
  let turn = 0;
  for (const setting of settings) {
    const { focus, agent: own, instructions } = typeof setting === "string" ? parseReviewer(setting) : setting;
    const agent = own ?? (agents.length === 0 ? undefined : agents[turn++ % agents.length]);
    const known = Object.hasOwn(REVIEW_FOCUSES, focus) ? REVIEW_FOCUSES[focus] : undefined;
    const nodeId = nodeIdOf(`review-${focus}`, agent);
    if (!/^[a-z][a-z0-9-]*$/.test(focus)) problems.push(describeBadName(focus));
    else if (instructions === undefined && known === undefined) problems.push(describeUnknown(focus));
    else if (own === "") problems.push(`The reviewer "${focus}@" names no agent. Write ${focus}@claude, for example.`);
    else if (reviewers.some((reviewer) => reviewer.nodeId === nodeId)) {
      problems.push(`There are two reviewers for "${focus}" with the same agent. Remove one of them.`);
    } else {
      const found = { nodeId, focus, instructions: instructions ?? known ?? "" };
      reviewers.push(agent === undefined ? found : { ...found, agent });
    }
  }
  if (settings.length === 0) problems.push("There are no reviewers. Name at least one.");
  return { reviewers, problems };
}

/** The id of a node that an agent has, without the characters that ids reserve. `agent` is undefined for the run's. */
export function nodeIdOf(name: string, agent: string | undefined): string {
  return agent === undefined ? name : `${name}-${agent.replace(/[[\]#/]/g, "-")}`;
}

function parseReviewer(text: string): CustomReviewer {
  const separator = text.indexOf("@");
  if (separator === -1) return { focus: text.trim() };
  return { focus: text.slice(0, separator).trim(), agent: text.slice(separator + 1).trim() };
}

function describeBadName(focus: string): string {
  return `"${focus}" is no name of a reviewer. Names have lower-case letters, digits and dashes. Built-in reviewers: ${DEFAULT_REVIEWERS.join(", ")}.`;
}

function describeUnknown(focus: string): string {
  const nearest = nearestName(focus, DEFAULT_REVIEWERS);
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  return `There is no reviewer "${focus}".${hint} Built-in reviewers: ${DEFAULT_REVIEWERS.join(", ")}.`;
}

/** The agents that check findings, each once; `undefined` is the run's. */
export function verifyingAgents(
  reviewers: readonly Reviewer[],
  agents: readonly string[],
): readonly (string | undefined)[] {
  return [...new Set([...reviewers.map(({ agent }) => agent), ...agents])];
}

/**
 * The agent that checks a finding: one that did not report it, if there is one. Findings are spread over such agents.
 *
 * @param index the position of the finding
 */
export function chooseVerifier(
  reporters: readonly string[],
  agents: readonly string[],
  index: number,
): string | undefined {
  const others = agents.filter((agent) => !reporters.includes(agent));
  const candidates = others.length === 0 ? agents : others;
  return candidates[index % candidates.length];
}
