import { type HumanRequest, nearestName } from "../../contracts/index.ts";

/** Answers the questions of nodes that have no answer of their own. */
export const ANY_NODE = "*";

/**
 * Answers to the questions of a run by the node that asks, or `*` for all others: a value, a list for one question after
 * another, or a function.
 */
export type TestAnswers = Readonly<Record<string, unknown>>;

/** The answers of a test, taken one after another. */
export class AnswerBook {
  readonly #answers: TestAnswers;
  readonly #used = new Map<string, number>();

  constructor(answers: TestAnswers) {
    this.#answers = answers;
  }

  /** The answer to a question, by its node, its own id or `*`; `undefined` if there is none. */
  next(request: HumanRequest): unknown {
    const name = [request.nodeId, request.id, ANY_NODE].find((known) => Object.hasOwn(this.#answers, known));
    if (name === undefined) return undefined;
    const answer = this.#answers[name];
    const used = this.#used.get(name) ?? 0;
    this.#used.set(name, used + 1);
    if (typeof answer === "function") return answer(request);
    return Array.isArray(answer) ? answer[used] : answer;
  }

  /** The names that no question has asked for. */
  get unused(): readonly string[] {
    return Object.keys(this.#answers).filter((name) => this.#answers[name] !== undefined && !this.#used.has(name));
  }

  /** What no question has used, in sentences; `known` are names that a question may have instead. */
  describeUnused(known: ReadonlySet<string>): readonly string[] {
    return Object.entries(this.#answers).flatMap(([name, answer]) => {
      if (answer === undefined) return [];
      const used = this.#used.get(name);
      if (used === undefined) {
        const nearest = known.has(name) ? undefined : nearestName(name, known);
        const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
        return [`No question used the answer for "${name}".${hint}`];
      }
      if (!Array.isArray(answer) || used >= answer.length) return [];
      return [`The answers for "${name}" are ${answer.length}, of which ${used} ${used === 1 ? "was" : "were"} used.`];
    });
  }
}
