import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  type AgentQuestion,
  type AgentQuestionAnswer,
  type AgentQuestionHandler,
  AtomicError,
  type Redactor,
  raceAbort,
} from "../../contracts/index.ts";
import { replaceFile } from "../../system/index.ts";
import { type OnUnusableFile, publishedQuestionSchema, readPublishedFiles } from "./read-published-files.ts";

const FOLDER = "agent-questions";
const ID_PREFIX = "agent-question-";

/** A question of an agent in an unattended run, which another process can answer until its deadline. */
export interface PublishedQuestion {
  /** Unique within the run: `agent-question-3f9a1c`. */
  readonly id: string;
  readonly question: AgentQuestion;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  /** When it is declined, in milliseconds since 1970. */
  readonly deadline: number;
}

/** Whether a text is the id of a published question of an agent. */
export function isAgentQuestionId(text: string): boolean {
  return text.startsWith(ID_PREFIX);
}

/** A question of an agent has its answer already, or takes another one. */
export class QuestionAnswerError extends AtomicError {
  constructor(message: string) {
    super("QUESTION_ANSWER", message);
  }
}

/**
 * What the agents of a session's run ask, oldest first. Only a run that a process executes waits for it. A file of another
 * shape is left out.
 */
export function readPublishedQuestions(
  sessionDirectory: string,
  onUnusable?: OnUnusableFile,
): readonly PublishedQuestion[] {
  return readPublishedFiles(join(sessionDirectory, FOLDER), {
    ...{ prefix: ID_PREFIX, schema: publishedQuestionSchema, onUnusable },
    cast: (value) => value as PublishedQuestion, // the schema has checked it
  });
}

/** Settings of {@link PublishedQuestions}. */
export interface PublishQuestionsOptions {
  /** How long a question waits for an answer, in milliseconds. */
  readonly waitMs: number;
  /** The wait, as the user gave it. */
  readonly waitText: string;
  readonly redactor: Redactor;
  /** Called with each question when it is published. */
  readonly onPublish: (published: PublishedQuestion) => void;
}

/** A question that waits for its answer. */
interface OpenQuestion {
  readonly published: PublishedQuestion;
  readonly answered: PromiseWithResolvers<AgentQuestionAnswer>;
}

/**
 * Publishes the questions of a run's agents in the folder of its session, where other processes find them. Without an answer,
 * a question is declined at its deadline.
 */
export class PublishedQuestions {
  readonly #options: PublishQuestionsOptions;
  #folder: string | undefined;
  readonly #open = new Map<string, OpenQuestion>();
  /** How questions ended, by id. */
  readonly #ended = new Map<string, string>();

  constructor(options: PublishQuestionsOptions) {
    this.#options = options;
  }

  /** The run is executed here from now on. What an earlier process has published is void. */
  begin(sessionDirectory: string): void {
    this.#folder = join(sessionDirectory, FOLDER);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Waits for the answer of another process. */
  readonly handler: AgentQuestionHandler = async (question, { signal }) => {
    const { published, answered } = await this.#publish(question);
    const { id } = published;
    try {
      return await raceAbort(answered.promise, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return { type: "decline", reason: "The turn was cancelled." };
    } finally {
      this.#withdraw(id);
    }
  };

  /**
   * Takes an answer: a text, or a list of texts. Returns false if it is for something else.
   *
   * @throws QuestionAnswerError for one that comes too late or does not fit
   */
  take(id: string, answer: unknown): boolean {
    if (!isAgentQuestionId(id)) return false;
    const open = this.#open.get(id);
    if (open === undefined || this.#ended.has(id)) {
      const end = this.#ended.get(id);
      throw new QuestionAnswerError(
        end === undefined ? `No agent of the run asks "${id}".` : `It is too late: "${id}" ${end}.`,
      );
    }
    const values: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
    const texts = values.filter((value) => typeof value === "string" && value.trim() !== "") as readonly string[]; // the filter's texts
    if (texts.length === 0 || texts.length < values.length) {
      throw new QuestionAnswerError(`"${id}" takes a text, or a list of texts.`);
    }
    if (texts.length > 1 && !open.published.question.isMultiple) {
      throw new QuestionAnswerError(`"${id}" takes one answer, and these are ${texts.length}.`);
    }
    this.#ended.set(id, "was answered already");
    open.answered.resolve({ type: "answer", values: texts });
    return true;
  }

  async #publish(question: AgentQuestion): Promise<OpenQuestion> {
    const { waitMs, waitText, redactor, onPublish } = this.#options;
    const id = `${ID_PREFIX}${randomBytes(3).toString("hex")}`;
    const askedAt = Date.now();
    const published = { id, question: redactor.value(question), askedAt, deadline: askedAt + waitMs };
    const open: OpenQuestion = { published, answered: Promise.withResolvers<AgentQuestionAnswer>() };
    this.#open.set(id, open);
    const timer = setTimeout(() => {
      this.#ended.set(id, `was declined after ${waitText}, because nobody had answered`);
      open.answered.resolve({ type: "decline", reason: `Nobody answered the question within ${waitText}.` });
    }, waitMs);
    void open.answered.promise.finally(() => clearTimeout(timer));
    if (this.#folder !== undefined) {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      await replaceFile(join(this.#folder, `${id}.json`), `${JSON.stringify(published)}\n`);
    }
    onPublish(published);
    return open;
  }

  #withdraw(id: string): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    if (!this.#ended.has(id)) this.#ended.set(id, "was withdrawn: the agent no longer waits");
    // Its timer ends with it.
    open?.answered.resolve({ type: "decline", reason: "The turn was cancelled." });
    if (this.#folder !== undefined) rmSync(join(this.#folder, `${id}.json`), { force: true });
  }
}
