import { AtomicError, isRecord } from "../../contracts/index.ts";
import type { AgentScript, ScriptedReply, ScriptedTurn, ScriptedTurnTools } from "../scripted-agent/scripted-turn.ts";

/** Which prompts an answer is for: those that contain a text, match an expression, or pass a function. */
export type PromptPattern = string | RegExp | ((turn: ScriptedTurn) => boolean);

/** What a pattern found. */
export interface PromptMatch {
  readonly turn: ScriptedTurn;
  /** What the groups of the expression matched; empty for other patterns. */
  readonly groups: readonly string[];
  readonly tools: ScriptedTurnTools;
}

/** An answer, a list of answers for one turn after another (the last one repeats), or a function. */
export type PatternReply =
  | ScriptedReply
  | readonly ScriptedReply[]
  | ((match: PromptMatch) => ScriptedReply | Promise<ScriptedReply>);

/** Answers by prompt; the first pattern that matches counts. */
export type AgentPatterns =
  | readonly (readonly [pattern: PromptPattern, reply: PatternReply])[]
  | Readonly<Record<string, PatternReply>>;

/** No pattern of a test's agent matches a prompt. */
export class UnmatchedPromptError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly prompt: string,
    readonly nodeId: string | undefined,
    readonly patterns: readonly string[],
  ) {
    const who = nodeId === undefined ? "An agent" : `The node "${nodeId}"`;
    super(
      "PROMPT_UNMATCHED",
      `${who} sent a prompt that no pattern of the test matches:\n  ${shorten(prompt)}\nThe patterns, in order: ${patterns.join(", ") || "none"}. Add one for it.`,
    );
  }
}

/** The longest prompt in a message, in characters. */
const MAX_PROMPT_LENGTH = 600;

function shorten(prompt: string): string {
  const lines = prompt.trim().replaceAll("\n", "\n  ");
  return lines.length > MAX_PROMPT_LENGTH ? `${lines.slice(0, MAX_PROMPT_LENGTH)}…` : lines;
}

/**
 * A script for `createScriptedAgent` that answers by the prompt.
 *
 * ```ts
 * const agent = createScriptedAgent({
 *   script: patternScript([
 *     [/about (\w+)/, ({ groups }) => `A poem about ${groups[0]}.`],
 *     ["Rate", { structured: { points: 7 } }],
 *   ]),
 * });
 * ```
 */
export function patternScript(patterns: AgentPatterns): AgentScript {
  return new PatternBook(patterns).script;
}

/** Patterns, and which of them and of their replies were used. */
export class PatternBook {
  readonly #list: readonly (readonly [PromptPattern, PatternReply])[];
  /** How often each pattern has matched, by its place in the list. */
  readonly #counts = new Map<number, number>();

  constructor(patterns: AgentPatterns) {
    this.#list = listPatterns(patterns);
  }

  /** Answers a turn. @throws UnmatchedPromptError */
  readonly script: AgentScript = async (turn, tools) => {
    for (const [index, [pattern, reply]] of this.#list.entries()) {
      const groups = matchPattern(pattern, turn);
      if (groups === undefined) continue;
      const count = this.#counts.get(index) ?? 0;
      this.#counts.set(index, count + 1);
      if (typeof reply === "function") return await reply({ turn, groups, tools });
      if (!isList(reply)) return reply;
      const chosen = reply[Math.min(count, reply.length - 1)];
      if (chosen !== undefined) return chosen;
    }
    const patterns = this.#list.map(([pattern]) => describePattern(pattern));
    throw new UnmatchedPromptError(turn.prompt, turn.nodeId, patterns);
  };

  /** What no prompt has used, in sentences. */
  get unused(): readonly string[] {
    return this.#list.flatMap(([pattern, reply], index) => {
      const count = this.#counts.get(index) ?? 0;
      if (count === 0) return [`No prompt used the pattern ${describePattern(pattern)}.`];
      const replies = isList(reply) ? reply.length : 1;
      if (count >= replies) return [];
      return [
        `The pattern ${describePattern(pattern)} has ${replies} replies, of which ${count} ${count === 1 ? "was" : "were"} used.`,
      ];
    });
  }
}

function listPatterns(patterns: AgentPatterns): readonly (readonly [PromptPattern, PatternReply])[] {
  return Array.isArray(patterns) ? patterns : Object.entries(patterns);
}

/** Whether a reply is a list: the type of `Array.isArray` does not fit a read-only one. */
function isList(reply: PatternReply): reply is readonly ScriptedReply[] {
  return Array.isArray(reply);
}

function matchPattern(pattern: PromptPattern, turn: ScriptedTurn): readonly string[] | undefined {
  if (typeof pattern === "string") return turn.prompt.includes(pattern) ? [] : undefined;
  if (typeof pattern === "function") return pattern(turn) ? [] : undefined;
  // A global expression would continue after its last match.
  const found = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")).exec(turn.prompt);
  return found?.slice(1).map((group) => group ?? "");
}

function describePattern(pattern: PromptPattern): string {
  if (typeof pattern === "string") return JSON.stringify(pattern);
  return typeof pattern === "function" ? `a function${pattern.name === "" ? "" : ` ${pattern.name}`}` : String(pattern);
}

/** Whether a value is a list or a record of patterns, and not an agent. */
export function isPatterns(value: unknown): value is AgentPatterns {
  return Array.isArray(value) || (isRecord(value) && typeof value.createSession !== "function");
}
