import { join } from "node:path";
import {
  type AgentQuestion,
  type AgentQuestionAnswer,
  type AgentQuestionHandler,
  AtomicError,
} from "../../contracts/index.ts";
import { type PublishedRequest, PublishedRequests, type PublishOptions } from "./published-requests.ts";
import { type OnUnusableFile, publishedQuestionSchema, readPublishedFiles } from "./read-published-files.ts";

const FOLDER = "agent-questions";
const ID_PREFIX = "agent-question-";

/**
 * A question of an agent in an unattended run, which another process can answer until its deadline. Its id is
 * `agent-question-3f9a1c`.
 */
export interface PublishedQuestion extends PublishedRequest {
  readonly question: AgentQuestion;
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

/** Publishes the questions of a run's agents. Without an answer, a question is declined at its deadline. */
export class PublishedQuestions {
  readonly #requests: PublishedRequests<PublishedQuestion, AgentQuestionAnswer>;
  /** Waits for the answer of another process. */
  readonly handler: AgentQuestionHandler;

  constructor(options: PublishOptions<PublishedQuestion>) {
    const { waitText, redactor } = options;
    const requests = new PublishedRequests<PublishedQuestion, AgentQuestionAnswer>(options, {
      ...{ folder: FOLDER, idPrefix: ID_PREFIX },
      late: {
        answer: { type: "decline", reason: `Nobody answered the question within ${waitText}.` },
        end: "was declined",
      },
      cancelled: { type: "decline", reason: "The turn was cancelled." },
    });
    this.#requests = requests;
    this.handler = (question, { signal }) =>
      requests.ask({ signal, complete: (request) => ({ ...request, question: redactor.value(question) }) });
  }

  /** The run is executed here from now on. What an earlier process has published is void. */
  begin(sessionDirectory: string): void {
    this.#requests.begin(sessionDirectory);
  }

  /**
   * Takes an answer: a text, or a list of texts. Returns false if it is for something else.
   *
   * @throws QuestionAnswerError for one that comes too late or does not fit
   */
  take(id: string, answer: unknown): boolean {
    if (!isAgentQuestionId(id)) return false;
    const published = this.#requests.waiting().find((one) => one.id === id);
    if (published === undefined) {
      const end = this.#requests.endOf(id);
      throw new QuestionAnswerError(
        end === undefined ? `No agent of the run asks "${id}".` : `It is too late: "${id}" ${end}.`,
      );
    }
    const values: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
    const texts = values.filter((value) => typeof value === "string" && value.trim() !== "") as readonly string[]; // the filter's texts
    if (texts.length === 0 || texts.length < values.length) {
      throw new QuestionAnswerError(`"${id}" takes a text, or a list of texts.`);
    }
    if (texts.length > 1 && !published.question.isMultiple) {
      throw new QuestionAnswerError(`"${id}" takes one answer, and these are ${texts.length}.`);
    }
    this.#requests.answer(id, { type: "answer", values: texts }, "was answered already");
    return true;
  }
}
