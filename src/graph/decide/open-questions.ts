import { AtomicError, type HumanRequest, messageOf } from "../../contracts/index.ts";
import { InvalidAnswerError, UnknownRequestError } from "../errors/errors.ts";
import { JournalFailure } from "../errors/journal-failure.ts";
import type { SteeringCommand } from "../model/steering-command.ts";
import { assertFits } from "../state/state-update.ts";
import { takeUpdate } from "./assert-result.ts";
import type { CoordinatedRun } from "./coordinated-run.ts";
import { planFailure } from "./plan-failure.ts";
import { recordedErrorOf, toRunError } from "./records/failure.ts";
import { placeOf, type RunState, type Task } from "./records/run-state.ts";
import { validateAnswer } from "./request.ts";
import { updateOf } from "./result-record.ts";
import type { RunLimits } from "./run-port.ts";

/** A node asked a person in a run without a journal: no later process could continue the run. */
export class NobodyToAskError extends AtomicError {
  constructor(
    readonly nodeId: string,
    readonly question: string,
  ) {
    super(
      "NOBODY_TO_ASK",
      `The node "${nodeId}" asks "${question}", but without a journal no answer can ever reach this run. Give compile() or run() a \`checkpointer\`, or the question an \`autoApprove\`.`,
    );
  }
}

/** The node cannot use an answer to its question: its mapping function or a reducer threw. */
export class UnusableAnswerError extends AtomicError {
  constructor(
    readonly requestId: string,
    cause: Error,
  ) {
    const reason = messageOf(cause).replace(/[.\s]+$/, "");
    super(
      "ANSWER_UNUSABLE",
      `The answer to "${requestId}" was rejected, and the question stays open: ${reason}. Answer again, or correct the node's mapping function.`,
      { cause },
    );
  }
}

const REQUEST_TIMER = "request:";

/** An answer to a run that is being executed. */
type GivenAnswer = Extract<SteeringCommand, { type: "answer" }>;

/**
 * The task that asks a question, by the id of the question or of its node. A node's first question has the node's id; with
 * `#1` appended, the name means only that question, not later ones of the same node.
 *
 * @throws UnknownRequestError when there is no such question, or several nodes with this id ask
 */
function findAskingTask(run: RunState, request: string): Task {
  const asking = [...run.tasks.values()].filter((task) => task.request !== undefined);
  const ofNode = asking.filter(({ node }) => node.id === request);
  const found =
    asking.find(({ id }) => id === request) ??
    asking.find(({ id }) => `${id}#1` === request) ??
    (ofNode.length === 1 ? ofNode[0] : undefined);
  if (found !== undefined) return found;
  throw new UnknownRequestError(
    request,
    asking.map(({ id }) => id),
  );
}

/**
 * A checked answer as the journal keeps it, with the id of its question.
 *
 * @throws UnknownRequestError, InvalidAnswerError, UnserializableValueError
 */
export async function checkAnswer(
  run: RunState,
  name: string,
  value: unknown,
): Promise<readonly [requestId: string, value: unknown]> {
  const { id, request, node } = findAskingTask(run, name);
  // The task was found by its question.
  if (request === undefined) throw new UnknownRequestError(name, []);
  // A schema decides whether an empty text is an answer.
  const isFree = request.options === undefined && node.answerSchema === undefined;
  if (isFree && typeof value === "string" && value.trim() === "") {
    throw new InvalidAnswerError(id, "it is empty. Write an answer", []);
  }
  return [id, await validateAnswer(request, node, run.redact(value))];
}

function changeByAnswer({ node, thread }: Task, value: unknown): unknown {
  if (node.applyAnswer === undefined) return { outputs: { [node.id]: value } };
  return takeUpdate(node.id, node.applyAnswer(value, thread.state, placeOf(thread)), "mapping function");
}

/** @throws NobodyToAskError for a question that neither outlives this process nor answers itself within it */
export function assertAnswerable(
  { nodeId, question, autoApproveAt }: HumanRequest,
  now: number,
  { canSuspend, autoApproveWaitMs }: RunLimits,
): void {
  const answersItself = autoApproveAt !== undefined && autoApproveAt <= now + autoApproveWaitMs;
  if (!canSuspend && !answersItself) throw new NobodyToAskError(nodeId, question);
}

/** Handles the questions of a run: takes answers, and applies automatic answers when they are due (E6). */
export class OpenQuestions {
  readonly #coordinated: CoordinatedRun;

  constructor(coordinated: CoordinatedRun) {
    this.#coordinated = coordinated;
  }

  /** Call when a node has asked, and for every open question of a resumed run. */
  watch({ request }: Task): void {
    if (request?.autoApproveAt === undefined) return;
    this.#coordinated.port.startTimer(REQUEST_TIMER + request.id, request.autoApproveAt);
  }

  /** Whether a question will answer itself within this time. */
  answerThemselvesWithin(waitMs: number): boolean {
    const latest = this.#coordinated.port.now() + waitMs;
    return this.#coordinated.run.requests.some(
      ({ autoApproveAt }) => autoApproveAt !== undefined && autoApproveAt <= latest,
    );
  }

  /**
   * Takes an answer while other branches run; calls `settle` when it was applied, or with the reason why it was not. An
   * answer that the node cannot use is rejected: the branches continue, and the question stays open.
   */
  async take({ request: name, value }: GivenAnswer, settle: (error?: Error) => void): Promise<void> {
    let valid: readonly [requestId: string, value: unknown];
    try {
      valid = await checkAnswer(this.#coordinated.run, name, value);
      this.#assertUsable(...valid);
    } catch (error) {
      return settle(toRunError(error));
    }
    await this.answer(...valid);
    settle();
  }

  /** @throws UnusableAnswerError for an answer that would fail the run */
  #assertUsable(requestId: string, value: unknown): void {
    const task = this.#askingTask(requestId);
    if (task === undefined) return;
    const { code, state } = task.thread;
    const { run } = this.#coordinated;
    try {
      assertFits(code.rules, state, updateOf(run, task, changeByAnswer(task, value)) ?? {});
    } catch (thrown) {
      const error = toRunError(thrown);
      const { id, node, attempt } = task;
      const failure = {
        ...run.redact(recordedErrorOf(error)),
        nodeId: node.id,
        attempt,
        at: this.#coordinated.port.now(),
      };
      const isCaught = planFailure(task.thread, { ...failure, live: error }, failure.at).type !== "nobody";
      if (!isCaught) throw new UnusableAnswerError(id, error);
    }
  }

  /** Applies a validated answer. Changes nothing when the question is no longer open. */
  answer(requestId: string, value: unknown): void | Promise<void> {
    const task = this.#askingTask(requestId);
    if (task === undefined) return undefined;
    const about = { at: this.#coordinated.port.now(), task: task.id, node: task.node.id, attempt: task.attempt };
    try {
      const update = updateOf(this.#coordinated.run, task, changeByAnswer(task, value));
      const answer = { ...about, requestId, value, ...(update === undefined ? {} : { update }) };
      const { commit, publisher } = this.#coordinated;
      return commit({ type: "answer", ...answer }, () => publisher.answered(about, requestId, value));
    } catch (error) {
      return this.#reject(task, error);
    }
  }

  handleTimer(key: string): Promise<void> | undefined {
    if (!key.startsWith(REQUEST_TIMER)) return undefined;
    const task = this.#askingTask(key.slice(REQUEST_TIMER.length));
    const request = task?.request;
    // The timer may belong to an earlier question: a restarted node asks under the same id.
    const isDue = request?.autoApproveAt !== undefined && request.autoApproveAt <= this.#coordinated.port.now();
    return task !== undefined && request !== undefined && isDue ? this.#answerItself(task, request) : undefined;
  }

  #askingTask(requestId: string): Task | undefined {
    for (const task of this.#coordinated.run.tasks.values()) if (task.request?.id === requestId) return task;
    return undefined;
  }

  /** Nothing changed: the question stays open unless a `.catch` handles the failure. */
  #reject(task: Task, error: unknown): void | Promise<void> {
    if (error instanceof JournalFailure) throw error;
    return this.#coordinated.fail(task, toRunError(error));
  }

  /** Applies a question's automatic answer, validated like any other. */
  async #answerItself(task: Task, request: HumanRequest): Promise<void> {
    const { autoApproveValue: given, options } = request;
    const answer = given === undefined ? (options?.[0]?.label ?? "yes") : given;
    try {
      const value = await validateAnswer(request, task.node, answer);
      await this.answer(request.id, value);
    } catch (error) {
      await this.#reject(task, error);
    }
  }
}
