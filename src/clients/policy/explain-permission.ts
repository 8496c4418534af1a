import type { PermissionEffect, PermissionPolicy, PermissionRequest, PermissionRule } from "../../contracts/index.ts";
import {
  type EditObstacle,
  type EvaluatePermissionOptions,
  evaluatePermission,
  isOrdinaryReading,
} from "./evaluate-permission.ts";
import { matchRule, type RuleMatch, type RuleMiss } from "./match-rule.ts";
import { CommandLine, type CommandLineObstacle, splitCommandLine } from "./split-command-line.ts";

/** What one rule has to do with a request. */
export interface RuleExplanation {
  readonly rule: PermissionRule;
  /** Its place in the policy, from 1. */
  readonly number: number;
  /** `parts`: it allows some of the commands of the line. */
  readonly match: "whole" | "parts" | "none";
  readonly reason: string;
}

/** What becomes of one command of a line, taken by itself. */
export interface CommandExplanation {
  readonly command: string;
  readonly effect: PermissionEffect;
  readonly reason: string;
}

/** Why a request is allowed, refused or asked about. The sentences quote what the request says, as JSON. */
export interface PermissionExplanation {
  readonly effect: PermissionEffect;
  /** The rule that decided; absent when none did. */
  readonly rule?: PermissionRule;
  readonly reason: string;
  /** In the order in which they are looked at: those that deny, those that ask, those that allow. */
  readonly rules: readonly RuleExplanation[];
  /** The commands of the line, as far as they can be told apart; empty for a call without one. */
  readonly commands: readonly CommandExplanation[];
  /** What keeps the commands from being told apart for certain, for example `a redirection (< or >)`. */
  readonly obstacles: readonly string[];
}

const STRICTEST_FIRST: readonly PermissionEffect[] = ["deny", "ask", "allow"];

const OBSTACLES: Readonly<Record<CommandLineObstacle, string>> = {
  substitution: "a substitution, such as $(…) or `…`",
  redirection: "a redirection (< or >)",
  group: "a group or subshell, ( or )",
  comment: "a comment (#)",
  "open-quote": "a quote that is not closed",
  "ambiguous-quote": "a quote that shells end in different places (\\')",
  continuation: "a line that goes on behind a backslash",
  empty: "nothing at all",
};

/**
 * Says why a client allows, refuses or asks about a request, in plain words, for a person who wants to correct a policy.
 * The effect is that of `evaluatePermission`, or `allow` for ordinary reading that no rule is about, as in every client.
 * Pure.
 *
 * ```ts
 * const policy = { rules: [{ effect: "deny", commands: ["rm *"] }] } as const;
 * const { reason } = explainPermission(policy, request, { workingDirectory: "/work" });
 * // Rule 1 forbids it: the command "rm -rf build" matches "rm *".
 * ```
 */
export function explainPermission(
  policy: PermissionPolicy,
  request: PermissionRequest,
  options: EvaluatePermissionOptions,
): PermissionExplanation {
  const { parts, obstacles } =
    request.command === undefined ? { parts: [], obstacles: [] } : splitCommandLine(request.command);
  const rules = explainRules(policy, request, options);
  const decision = decide(policy, request, { ...options, rules });
  return {
    ...decision,
    rules,
    commands: parts.map((command) => explainCommand(policy, { ...request, command }, options)),
    obstacles: obstacles.map((obstacle) => OBSTACLES[obstacle]),
  };
}

function explainCommand(
  policy: PermissionPolicy,
  request: PermissionRequest & { readonly command: string },
  options: EvaluatePermissionOptions,
): CommandExplanation {
  const rules = explainRules(policy, request, options);
  const { effect, reason } = decide(policy, request, { ...options, rules });
  return { command: request.command, effect, reason };
}

function explainRules(
  { rules }: PermissionPolicy,
  request: PermissionRequest,
  { workingDirectory }: EvaluatePermissionOptions,
): readonly RuleExplanation[] {
  const options = { workingDirectory, line: new CommandLine(request.command ?? "") };
  const explained = rules.map((rule, index): RuleExplanation => {
    const match = matchRule(rule, request, options);
    return { rule, number: index + 1, match: match.type, reason: describeMatch(rule, match, request) };
  });
  return STRICTEST_FIRST.flatMap((effect) => explained.filter(({ rule }) => rule.effect === effect));
}

interface DecideOptions extends EvaluatePermissionOptions {
  readonly rules: readonly RuleExplanation[];
}

function decide(
  policy: PermissionPolicy,
  request: PermissionRequest,
  { rules, ...options }: DecideOptions,
): Pick<PermissionExplanation, "effect" | "rule" | "reason"> {
  const { effect, rule, obstacle } = evaluatePermission(policy, request, options);
  if (obstacle !== undefined)
    return { effect, ...(rule === undefined ? {} : { rule }), reason: describeObstacle(obstacle) };
  const winner = rules.find((candidate) => candidate.rule === rule);
  if (rule !== undefined && winner !== undefined) {
    return {
      effect,
      rule,
      reason: winner.match === "parts" ? describeJointly(rules, request) : describeWin(winner, rules),
    };
  }
  if (effect !== "allow" && isOrdinaryReading(request, options)) {
    return { effect: "allow", reason: "No rule is about it, and reading in the working directory is allowed." };
  }
  return { effect, reason: describeOtherwise(policy, request, rules) };
}

function describeObstacle(obstacle: EditObstacle): string {
  switch (obstacle.type) {
    case "protected-file": {
      const { file, pattern, reason } = obstacle.match;
      return `The file ${quote(file)} is protected by ${quote(pattern)}: ${reason}. Changing it requires approval, unless a rule names it, for example an allow rule with the path ${quote(file)}.`;
    }
    case "no-file-named":
      return "The call does not say which file it changes, so it requires approval.";
  }
}

function describeWin(winner: RuleExplanation, rules: readonly RuleExplanation[]): string {
  const { effect } = winner.rule;
  const verbs = { deny: "forbids it", ask: "has a person asked", allow: "allows it" } as const;
  const milder = rules.find(
    ({ rule, match }) => match === "whole" && STRICTEST_FIRST.indexOf(rule.effect) > STRICTEST_FIRST.indexOf(effect),
  );
  const overruled = milder === undefined ? "" : ` It is stricter than rule ${milder.number}, and so it wins.`;
  return `Rule ${winner.number} ${verbs[effect]}: ${winner.reason}.${overruled}`;
}

/** No rule allows the whole line, but each of its commands is allowed by one. */
function describeJointly(rules: readonly RuleExplanation[], { command = "" }: PermissionRequest): string {
  const numbers = rules.filter(({ match }) => match === "parts").map(({ number }) => `rule ${number}`);
  return `Each of the ${splitCommandLine(command).parts.length} commands is allowed by a rule: ${numbers.join(", ")}.`;
}

function describeOtherwise(
  { otherwise }: PermissionPolicy,
  { command }: PermissionRequest,
  rules: readonly RuleExplanation[],
): string {
  const effects = { deny: "it is refused", ask: "a person is asked", allow: "it is allowed" } as const;
  const setting = otherwise === undefined ? "the default" : `"otherwise": "${otherwise}"`;
  const end = `so ${effects[otherwise ?? "ask"]} (${setting}).`;
  return `${describeLack(command, rules)}, ${end}`;
}

function describeLack(command: string | undefined, rules: readonly RuleExplanation[]): string {
  if (command !== undefined && splitCommandLine(command).isOpaque) {
    return `No rule is about the line as a whole, and its commands cannot be told apart, for it holds ${obstaclesIn(command)}`;
  }
  return rules.some(({ match }) => match === "parts") ? "Not every command in the line is allowed" : "No rule matches";
}

/** A clause, without a full stop. */
function describeMatch(rule: PermissionRule, match: RuleMatch, request: PermissionRequest): string {
  switch (match.type) {
    case "whole": {
      const { files, command } = match;
      const facts = [
        ...files.map(({ text, glob }) => `the file ${quote(text)} matches ${quote(glob)}`),
        ...(command === undefined ? [] : [`the command ${quote(command.text)} matches ${quote(command.glob)}`]),
      ];
      const scope = rule.tools === undefined ? "every call" : `every call of the kind ${quote(request.kind)}`;
      return facts.length > 0 ? facts.join(", and ") : `it is about ${scope}`;
    }
    case "parts":
      return `it allows ${match.parts.map(quote).join(", ")}`;
    case "none":
      return describeMiss(rule, match.because, request);
  }
}

function describeMiss(rule: PermissionRule, miss: RuleMiss, request: PermissionRequest): string {
  switch (miss.type) {
    case "other-kind":
      return `it is about ${(rule.tools ?? []).map(quote).join(", ")}, and this is ${quote(request.kind)}`;
    case "no-file-named":
      return "it is about files, and the call names none";
    case "no-command":
      return "it is about commands, and this is none";
    case "files":
      return miss.file === undefined
        ? `no file matches ${alternatives(rule.paths)}`
        : `the file ${quote(miss.file)} does not match ${alternatives(rule.paths)}`;
    case "commands":
      return `no command in the line matches ${alternatives(rule.commands)}`;
    case "opaque":
      return `the line holds ${obstaclesIn(request.command)}, so only "*" or the identical text would allow it`;
  }
}

function obstaclesIn(command = ""): string {
  return splitCommandLine(command)
    .obstacles.map((obstacle) => OBSTACLES[obstacle])
    .join(" and ");
}

function alternatives(globs: readonly string[] = []): string {
  return globs.length === 0 ? "an empty list" : globs.map(quote).join(" or ");
}

function quote(text = ""): string {
  return JSON.stringify(text);
}
