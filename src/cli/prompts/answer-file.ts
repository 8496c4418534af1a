import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  type AgentQuestion,
  type AgentQuestionAnswer,
  AtomicError,
  type HumanRequest,
  isRecord,
  messageOf,
  nearestName,
} from "../../contracts/index.ts";
import type { RunResult } from "../../graph/index.ts";
import { parseJsonc } from "../config/parse-jsonc.ts";
import { UsageError } from "../config/usage-error.ts";
import { exactIdOf, parseAnswer } from "./parse-answer.ts";

/** Answers any question that has no answer of its own. */
const ANY = "*";

/** Errors of an answer that does not fit its question. */
const UNFIT: ReadonlySet<string> = new Set(["ANSWER_INVALID", "ANSWER_UNUSABLE", "STATE_UNSERIALIZABLE"]);

/** The answers in a file, for the questions of a run without a person. */
export class AnswerFile {
  readonly #name: string;
  readonly #answers: ReadonlyMap<string, unknown>;
  /** How many answers of each key were used. */
  readonly #used = new Map<string, number>();
  /** The nodes that have asked. */
  readonly #asked = new Set<string>();
  #misfit: string | undefined;

  private constructor(name: string, answers: ReadonlyMap<string, unknown>) {
    this.#name = name;
    this.#answers = answers;
  }

  /** Reads a file of `--answers`: JSON, comments allowed, or YAML, whatever its name. @throws UsageError */
  static async load(name: string, workingDirectory: string): Promise<AnswerFile> {
    const path = resolve(workingDirectory, name);
    let value: unknown;
    try {
      const text = await readFile(path, "utf8");
      value = await parseAnswers(text);
    } catch (error) {
      const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
      throw new UsageError(
        isMissing ? `--answers names no file: ${path}.` : `--answers ${name} cannot be read: ${messageOf(error)}`,
      );
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new UsageError(
        `--answers ${name} must contain an object: the id of a node, or *, with its answer, or a list of answers.`,
      );
    }
    return new AnswerFile(name, new Map(Object.entries(value)));
  }

  /**
   * Resumes a suspended run with answers until it ends or asks something that the file does not answer. A run whose question
   * the file answers wrongly stays suspended: steps have run, and a person can answer.
   */
  async answerAll(
    first: RunResult,
    resume: (answers: Readonly<Record<string, unknown>>) => Promise<RunResult>,
  ): Promise<RunResult> {
    let result = first;
    while (result.status === "suspended") {
      const found = this.#next(result.requests);
      if (found === undefined) return result;
      const { request, key, value } = found;
      try {
        const answer = typeof value === "string" ? parseAnswer(request, value) : value;
        result = await resume({ [exactIdOf(request)]: answer });
      } catch (error) {
        if (!(error instanceof AtomicError) || !UNFIT.has(error.code)) throw error;
        this.#misfit = `The answer "${key}" in ${this.#name} does not fit the question of the node "${request.nodeId}": ${error.message}`;
        return result;
      }
    }
    return result;
  }

  /**
   * Answers a question of an agent, whose key is the text of the question; `*` is for nodes alone, which ask what their author
   * wrote. An answer that does not fit is left, and the question is declined.
   */
  answerAgent({ question, options, isMultiple }: AgentQuestion): AgentQuestionAnswer {
    const key = [...this.#answers.keys()].find((known) => known !== ANY && onOneLine(known) === onOneLine(question));
    const found = key === undefined ? undefined : this.#peek(key);
    if (key === undefined || found === undefined) return UNANSWERED;
    const given: readonly unknown[] = Array.isArray(found.value) ? found.value : [found.value];
    const values = given.filter(isPlain).map((value) => labelOf(String(value), options));
    const isFit = values.length === given.length && values.length > 0 && (isMultiple || values.length === 1);
    if (!isFit) return UNANSWERED;
    this.#take(key);
    return { type: "answer", values };
  }

  /** Answers that no question took, by their keys. */
  unused(): readonly string[] {
    return [...this.#answers].flatMap(([key, value]) => {
      const used = this.#used.get(key) ?? 0;
      if (!Array.isArray(value)) return used === 0 ? [key] : [];
      return used >= value.length ? [] : [used === 0 ? key : `${key} (from the answer ${used + 1} on)`];
    });
  }

  /** Warnings about an answer that did not fit, and about those that no question took. */
  describeProblems(): readonly string[] {
    const unused = this.unused();
    const misfit = this.#misfit === undefined ? [] : [this.#misfit];
    return unused.length === 0
      ? misfit
      : [
          ...misfit,
          `No question took these answers of ${this.#name}: ${unused.map((key) => this.#withNearest(key)).join(", ")}.`,
        ];
  }

  /** A key with the node that it probably means: one that asked, and has no answer in the file. */
  #withNearest(key: string): string {
    const candidates = [...this.#asked].filter((node) => !this.#answers.has(node));
    const nearest = nearestName(key, candidates);
    return nearest === undefined ? key : `${key} (did you mean "${nearest}"?)`;
  }

  #next(
    requests: readonly HumanRequest[],
  ): { readonly request: HumanRequest; readonly key: string; readonly value: unknown } | undefined {
    for (const request of requests) {
      this.#asked.add(request.nodeId);
      for (const key of [exactIdOf(request), request.id, request.nodeId, ANY]) {
        const found = this.#take(key);
        if (found !== undefined) return { request, key, value: found.value };
      }
    }
    return undefined;
  }

  #take(key: string): { readonly value: unknown } | undefined {
    const found = this.#peek(key);
    if (found !== undefined) this.#used.set(key, (this.#used.get(key) ?? 0) + 1);
    return found;
  }

  /** A single value answers each question; of a list, each answer is used once. */
  #peek(key: string): { readonly value: unknown } | undefined {
    if (!this.#answers.has(key)) return undefined;
    const value = this.#answers.get(key);
    const used = this.#used.get(key) ?? 0;
    if (Array.isArray(value) && used >= value.length) return undefined;
    return { value: Array.isArray(value) ? value[used] : value };
  }
}

/** @throws the error of JSON for a text that looks like it, else that of YAML */
async function parseAnswers(text: string): Promise<unknown> {
  const { parse } = await import("yaml");
  if (!/^\uFEFF?\s*(\{|\/[/*])/.test(text)) return parse(text);
  try {
    return await parseJsonc(text);
  } catch (error) {
    // YAML has objects in braces too, whose texts need no quotes. It takes a missing value for null.
    const value: unknown = await Promise.resolve(text)
      .then(parse)
      .catch(() => undefined);
    if (!isRecord(value) || Object.values(value).includes(null)) throw error;
    return value;
  }
}

const UNANSWERED: AgentQuestionAnswer = { type: "decline", reason: "Nobody is there to answer the question." };

function onOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** The option that a text means, whatever the case; other texts are answers of their own. */
function labelOf(text: string, options: AgentQuestion["options"]): string {
  return options.find(({ label }) => label.toLowerCase() === text.toLowerCase())?.label ?? text;
}
