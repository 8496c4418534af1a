import type {
  PermissionEffect,
  PermissionPolicy,
  PermissionRequest,
  PermissionRule,
} from "../../../contracts/index.ts";
import { CommandLine } from "../commands/command-line.ts";
import type { CommandLineObstacle } from "../shell/shell-line.ts";
import { MAX_COMMAND_LINE_LENGTH, MAX_COMMANDS, splitCommandLine } from "../shell/split-command-line.ts";
import {
  type EditObstacle,
  type EvaluatePermissionOptions,
  evaluatePermission,
  isOrdinaryReading,
} from "./evaluate-permission.ts";
import {
  isOutside,
  matchRule,
  type RuleMatch,
  type RuleMiss,
  relativeTo,
  type UnspelledCommand,
} from "./match-rule.ts";

/** How one rule relates to a request. */
export interface RuleExplanation {
  readonly rule: PermissionRule;
  /** Its position in the policy, from 1. */
  readonly number: number;
  /** `parts`: it allows some of the commands of the line. */
  readonly match: "whole" | "parts" | "none";
  readonly reason: string;
}

/** How one command of a line is evaluated by itself. */
export interface CommandExplanation {
  readonly command: string;
  readonly effect: PermissionEffect;
  readonly reason: string;
}

/** Why a request is allowed, is denied or requires approval. The sentences quote the request as JSON. */
export interface PermissionExplanation {
  readonly effect: PermissionEffect;
  /** The rule that decided; absent if none did. */
  readonly rule?: PermissionRule;
  readonly reason: string;
  /** In the order of evaluation: those that deny, those that ask, those that allow. */
  readonly rules: readonly RuleExplanation[];
  /** The first {@link MAX_COMMANDS} commands of the line, as far as they can be told apart; empty for a call without one. */
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
  continuation: "a line that continues after a backslash",
  subscript: "a substitution after [, which shells evaluate even within quotes",
  operator: "an operator that joins no two commands, such as ;; or |&",
  history: "a ! before a word, which stands for an earlier command",
  "control-character": "a control character or an unusual blank, which shells read differently",
  "reserved-word": "a word of the shell, such as if or {",
  "command-name": "a command whose name is not plain text",
  "too-long": `more than ${MAX_COMMAND_LINE_LENGTH.toLocaleString("en-US")} characters`,
  "too-many-commands": `more than ${MAX_COMMANDS} commands`,
  empty: "nothing at all",
};

/**
 * Explains why a client allows a call, denies it or requires approval, for a person who wants to correct a policy. The
 * effect is that of `evaluatePermission`, or `allow` for ordinary reading that no rule matches, as in every client. Pure.
 *
 * ```ts
 * const policy = { rules: [{ effect: "deny", commands: ["rm *"] }] } as const;
 * const { reason } = explainPermission(policy, request, { workingDirectory: "/work" });
 * // Rule 1 denies it: the command "rm -rf build" matches "rm *".
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
    commands: parts.slice(0, MAX_COMMANDS).map((command) => explainCommand(policy, { ...request, command }, options)),
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

/** The first command that a rule would allow if it spelled out what requires approval. */
function findUnspelled(
  rules: readonly PermissionRule[],
  request: PermissionRequest,
  { workingDirectory }: EvaluatePermissionOptions,
): UnspelledCommand | undefined {
  const options = { workingDirectory, line: new CommandLine(request.command ?? "") };
  const matches = rules.filter(({ effect }) => effect === "allow").map((rule) => matchRule(rule, request, options));
  const unspelled = matches.map((match) => {
    if (match.type === "parts") return match.unspelled;
    return match.type === "none" && match.because.type === "commands" ? match.because.unspelled : undefined;
  });
  return unspelled.find((found) => found !== undefined);
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
  if (obstacle !== undefined && rule?.effect !== "ask")
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
    return { effect: "allow", reason: "No rule matches it, and reading in the working directory is allowed." };
  }
  return { effect, reason: describeOtherwise(policy, request, { rules, ...options }) };
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
  const verbs = { deny: "denies it", ask: "requires approval of it", allow: "allows it" } as const;
  const milder = rules.find(
    ({ rule, match }) => match === "whole" && STRICTEST_FIRST.indexOf(rule.effect) > STRICTEST_FIRST.indexOf(effect),
  );
  const overruled = milder === undefined ? "" : ` It is stricter than rule ${milder.number}, and so it wins.`;
  return `Rule ${winner.number} ${verbs[effect]}: ${winner.reason}.${overruled}`;
}

/** No rule allows the whole line, but a rule allows each of its commands. */
function describeJointly(rules: readonly RuleExplanation[], { command = "" }: PermissionRequest): string {
  const numbers = rules.filter(({ match }) => match === "parts").map(({ number }) => `rule ${number}`);
  return `Each of the ${splitCommandLine(command).parts.length} commands is allowed by a rule: ${numbers.join(", ")}.`;
}

function describeOtherwise(
  { rules: all, otherwise }: PermissionPolicy,
  request: PermissionRequest,
  { rules, workingDirectory }: DecideOptions,
): string {
  const effects = { deny: "it is denied", ask: "it requires approval", allow: "it is allowed" } as const;
  const setting = otherwise === undefined ? "the default" : `"otherwise": "${otherwise}"`;
  const end = `so ${effects[otherwise ?? "ask"]} (${setting}).`;
  const extraordinary = otherwise === "allow" ? undefined : describeReading(request, { workingDirectory });
  const lack = describeLack(request, rules, findUnspelled(all, request, { workingDirectory }));
  return [lack, ...(extraordinary === undefined ? [] : [`and ${extraordinary}`]), end].join(", ");
}

/** Why a call that only reads requires a rule: a clause about the first file. */
function describeReading(request: PermissionRequest, options: EvaluatePermissionOptions): string | undefined {
  if (request.kind !== "read") return undefined;
  if (request.paths.length === 0) return "the call does not say which files it reads";
  const file = request.paths.find((path) => !isOrdinaryReading({ ...request, paths: [path] }, options));
  if (file === undefined) return undefined;
  return isOutside(relativeTo(options.workingDirectory, file))
    ? `${quote(file)} is outside of the working directory`
    : `${quote(file)} may hold secrets, by its name`;
}

function describeLack(
  { command }: PermissionRequest,
  rules: readonly RuleExplanation[],
  unspelled: UnspelledCommand | undefined,
): string {
  if (command !== undefined && splitCommandLine(command).isOpaque) {
    return `No rule is about the line as a whole, and its commands cannot be told apart, for it holds ${obstaclesIn(command)}`;
  }
  if (unspelled !== undefined) return `No rule allows it: ${describeUnspelled(unspelled)}`;
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
      const kind = rule.tools === undefined ? "every call" : `every call of the kind ${quote(request.kind)}`;
      const scope =
        rule.exceptTools === undefined ? kind : `${kind} that ${alternatives(rule.exceptTools)} does not cover`;
      return facts.length > 0 ? facts.join(", and ") : `it is about ${scope}`;
    }
    case "parts":
      return `it allows ${[...match.parts].map(quote).join(", ")}${suffix(match.unspelled)}`;
    case "none":
      return describeMiss(rule, match.because, request);
  }
}

function describeMiss(rule: PermissionRule, miss: RuleMiss, request: PermissionRequest): string {
  switch (miss.type) {
    case "other-kind":
      return `it is about ${(rule.tools ?? []).map(quote).join(", ")}, and this is ${quote(request.kind)}`;
    case "listed-tool":
      return `it spares ${(rule.exceptTools ?? []).map(quote).join(", ")}, which covers this call`;
    case "no-file-named":
      return "it is about files, and the call names none";
    case "no-command":
      return "it is about commands, and this is none";
    case "files":
      return miss.file === undefined
        ? `no file matches ${alternatives(rule.paths)}`
        : `the file ${quote(miss.file)} does not match ${alternatives(rule.paths)}`;
    case "commands":
      return miss.unspelled === undefined
        ? `no command in the line matches ${alternatives(rule.commands)}`
        : describeUnspelled(miss.unspelled);
    case "opaque":
      return `the line holds ${obstaclesIn(request.command)}, so only "*" or the identical text would allow it`;
  }
}

function suffix(unspelled: UnspelledCommand | undefined): string {
  return unspelled === undefined ? "" : `, but ${describeUnspelled(unspelled)}`;
}

/** A clause. The glob that it proposes allows the command with everything that requires approval. */
function describeUnspelled({ text, glob, risk, spelledOutTo }: UnspelledCommand): string {
  const start = text.slice(0, spelledOutTo);
  const proposal =
    /[*?]/.test(start) || spelledOutTo === text.length
      ? text
      : `${start}${text.charAt(spelledOutTo) === " " ? " " : ""}*`;
  const why = `${quote(risk.text)} in ${quote(text)} requires approval (${risk.program}: ${risk.reason})`;
  return `${why}; ${quote(glob)} does not spell it out, and ${quote(proposal)} would`;
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
