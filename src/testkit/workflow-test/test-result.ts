import assert from "node:assert/strict";
import { endsVisit, nearestName, type RunEvent } from "../../contracts/index.ts";
import type { BaseState, RunResult } from "../../graph/index.ts";
import type { TestAnswers } from "./answer-book.ts";
import type { TestTurn } from "./test-agent.ts";

/** A visit of a node. */
export interface TestVisit {
  readonly nodeId: string;
  readonly taskId: string;
  readonly status: "running" | "waiting" | "completed" | "skipped" | "failed" | "dropped";
  readonly attempts: number;
  /** The fields that the node changed. */
  readonly update?: Readonly<Record<string, unknown>>;
  /** What a person answered. */
  readonly answer?: unknown;
  /** Why it failed, or why its last attempt did. */
  readonly error?: string;
  /** What it sent to agents. */
  readonly prompts: readonly string[];
}

/** The journal of a test run, by visit, in the order in which they started. Pure. */
export function listVisits(events: readonly RunEvent[], turns: readonly TestTurn[]): readonly TestVisit[] {
  const visits = new Map<string, TestVisit>();
  for (const event of events) {
    if (!("taskId" in event)) continue;
    const { taskId, nodeId } = event;
    const known = visits.get(taskId);
    if (event.type === "node-start") {
      const prompts = turns.filter((turn) => turn.taskId === taskId || turn.taskId.startsWith(`${taskId}/`));
      visits.set(taskId, {
        ...{ nodeId, taskId, status: "running", attempts: event.attempt },
        prompts: prompts.map(({ prompt }) => prompt),
      });
    } else if (known !== undefined) visits.set(taskId, { ...known, ...changeOf(event) });
  }
  return [...visits.values()];
}

function changeOf(event: RunEvent): Partial<TestVisit> {
  if (event.type === "request") return { status: "waiting" };
  if (event.type === "answer") return { status: "completed", answer: event.value };
  if (event.type === "node-error") {
    return { error: event.error.message, ...(endsVisit(event) ? { status: "failed" } : {}) };
  }
  if (event.type === "node-dropped") return { status: "dropped" };
  if (event.type !== "node-end") return {};
  const update = event.update === undefined ? {} : { update: event.update };
  return { status: event.isSkipped ? "skipped" : "completed", ...update };
}

/** What is known of a run besides its result. */
export interface TestFacts {
  readonly events: readonly RunEvent[];
  readonly turns: readonly TestTurn[];
  readonly unusedAnswers: readonly string[];
  /** What the test gave and the run has not used, in sentences. */
  readonly unused: readonly string[];
  readonly elapsedMs: number;
  /** The nodes of the workflow, and those that its run has shown. */
  readonly knownNodes: ReadonlySet<string>;
  /** Whether a run may have further ones. */
  readonly isOpen: boolean;
}

/** The result of a workflow in a test. The functions that begin with `expect` throw an `AssertionError`. */
export class WorkflowTestResult<State extends BaseState = BaseState, Output = unknown> {
  readonly runId: string;
  readonly status: RunResult["status"];
  readonly state: State;
  readonly output: Output | undefined;
  readonly error: Error | undefined;
  /** The open questions. */
  readonly requests: RunResult["requests"];
  readonly usage: RunResult["usage"];
  /** The warnings of the run, and what {@link unused} says. */
  readonly warnings: readonly string[];
  /** Everything that happened, in order. */
  readonly events: readonly RunEvent[];
  /** The turns of agents, in the order in which they started. */
  readonly turns: readonly TestTurn[];
  /** The visits of nodes, in the order in which they started. */
  readonly visits: readonly TestVisit[];
  /** The names among `answers` that no question has asked for. */
  readonly unusedAnswers: readonly string[];
  /** The answers, agents, patterns and replies that the run has not used so far, in sentences. */
  readonly unused: readonly string[];
  /** How long the run took on its clock. */
  readonly elapsedMs: number;
  readonly #knownNodes: ReadonlySet<string>;
  readonly #isOpen: boolean;
  readonly #resume: (answers: TestAnswers) => Promise<WorkflowTestResult<State, Output>>;

  constructor(
    result: RunResult<State, Output>,
    { events, turns, unusedAnswers, unused, elapsedMs, knownNodes, isOpen }: TestFacts,
    resume: (answers: TestAnswers) => Promise<WorkflowTestResult<State, Output>>,
  ) {
    ({ runId: this.runId, status: this.status, state: this.state, output: this.output } = result);
    ({ error: this.error, requests: this.requests, usage: this.usage } = result);
    this.warnings = [...result.warnings, ...unused];
    this.unused = unused;
    this.events = events;
    this.turns = turns;
    this.visits = listVisits(events, turns);
    this.unusedAnswers = unusedAnswers;
    this.elapsedMs = elapsedMs;
    this.#knownNodes = knownNodes;
    this.#isOpen = isOpen;
    this.#resume = resume;
  }

  /** What a node sent to agents, in order. Throws an `AssertionError` for a node that the workflow does not have. */
  prompts(nodeId: string): readonly string[] {
    if (!this.#isOpen && !this.#knownNodes.has(nodeId)) {
      const known = [...this.#knownNodes];
      const nearest = nearestName(nodeId, known);
      const advice = nearest === undefined ? `Its nodes: ${known.join(", ")}.` : `Did you mean "${nearest}"?`;
      return fail(`The workflow has no node "${nodeId}". ${advice}`, nodeId, known);
    }
    return this.turns.filter((turn) => turn.nodeId === nodeId).map(({ prompt }) => prompt);
  }

  /** The nodes that ran, in the order in which they started, a node of several visits several times. */
  get path(): readonly string[] {
    return this.visits.map(({ nodeId }) => nodeId);
  }

  /** Resumes the run, with answers to its open questions. The events and turns are those of the whole run. */
  resume(answers: TestAnswers = {}): Promise<WorkflowTestResult<State, Output>> {
    return this.#resume(answers);
  }

  /** Requires that the run completed. */
  expectCompleted(): this {
    return this.#expect("completed");
  }

  /** Requires that the run waits for an answer to a question of this node. */
  expectSuspended(nodeId?: string): this {
    this.#expect("suspended");
    const asking = this.requests.map((request) => request.nodeId);
    if (nodeId === undefined || asking.includes(nodeId)) return this;
    return fail(`The run waits for ${asking.join(", ") || "nobody"}, not for "${nodeId}".`, asking, [nodeId]);
  }

  /** Requires that the run failed, with a message that contains this text or matches this expression. */
  expectFailed(message: string | RegExp = ""): this {
    this.#expect("failed");
    const text = this.error?.message ?? "";
    const isSame = typeof message === "string" ? text.includes(message) : message.test(text);
    return isSame ? this : fail(`The run failed with another error: ${text}`, text, String(message));
  }

  /** Requires that exactly these nodes ran, in this order; see {@link path}. */
  expectPath(...nodeIds: readonly string[]): this {
    assert.deepEqual(this.path, nodeIds, `The run went another way: ${this.path.join(" → ") || "no node ran"}`);
    return this;
  }

  /** Requires that the run has used every answer, agent, pattern and reply of the test. */
  expectAllUsed(): this {
    if (this.unused.length === 0) return this;
    return fail(`The run has not used everything in the test:${listOf(this.unused)}`, this.unused, []);
  }

  #expect(status: RunResult["status"]): this {
    if (this.status === status) return this;
    const waiting = this.requests.map(({ nodeId, question }) => `\n  "${nodeId}" asks: ${question}`).join("");
    const reason = this.error === undefined ? waiting : `: ${this.error.message}`;
    const visits = this.visits.map(({ taskId, status: how }) => `${taskId} (${how})`).join(", ");
    return fail(
      `The run is ${this.status}, not ${status}${reason}\nVisits: ${visits || "none"}${listOf(this.unused)}`,
      this.status,
      status,
    );
  }
}

function listOf(sentences: readonly string[]): string {
  return sentences.map((sentence) => `\n  ${sentence}`).join("");
}

function fail(message: string, actual: unknown, expected: unknown): never {
  throw new assert.AssertionError({ message, actual, expected, operator: "equal" });
}
