import { AtomicError, isRecord, type RunEvent } from "../../contracts/index.ts";
import {
  type Answers,
  type BaseState,
  type Checkpointer,
  type CompiledGraph,
  type GraphConfig,
  MemorySaver,
  RunControl,
  RunNotExecutedError,
  type RunOptions,
  type RunResult,
  SubagentGraphBridge,
  SubagentSessionManager,
  VirtualClock,
} from "../../graph/index.ts";
import { AnswerBook, type TestAnswers } from "./answer-book.ts";
import { assertStateInput, assertTestConfig, readDeclaredInput } from "./check-test-input.ts";
import { assertLaterAnswers, assertTestNames, assertTestOptions } from "./check-test-options.ts";
import type { RunWorkflowOptions } from "./run-workflow-options.ts";
import { TestAgents } from "./test-agent.ts";
import { namesOf, type TestNames } from "./test-names.ts";
import { WorkflowTestResult } from "./test-result.ts";

/** A graph, a builder of one, the function that builds it, or all exports of a file whose default export is one of these. */
export type TestSubject<State extends BaseState = BaseState, Output = unknown> =
  | TestGraph<State, Output>
  | { readonly default: TestGraph<State, Output> };

type TestGraph<State extends BaseState, Output> =
  | CompiledGraph<State, Output>
  | { compile(): CompiledGraph<State, Output> }
  | TestFactory<State, Output>;

/** What a workflow file exports: a function that builds the graph, from its configuration if it has one. */
type TestFactory<State extends BaseState, Output> = (
  config: never,
) => CompiledGraph<State, Output> | Promise<CompiledGraph<State, Output>>;

/** A value is not a workflow. */
export class NotAWorkflowError extends AtomicError {
  constructor(readonly value: unknown) {
    super(
      "TEST_SUBJECT_INVALID",
      `runWorkflow needs a compiled graph, a builder, or what a workflow file exports, not ${value === null ? "null" : typeof value}. Import the file with: import * as flow from "./flow.ts"`,
    );
  }
}

/**
 * Runs a workflow in a test: with scripted agents, on a clock that waits for nothing, with answers to its questions. A
 * failed run is a result.
 *
 * ```ts
 * const result = await runWorkflow(poem, {
 *   input: { prompt: "the sea" },
 *   agent: { "Write two lines": "The sea is wide.\nThe sea is deep." },
 * });
 * result.expectCompleted().expectPath("write", "show");
 * ```
 *
 * @throws InvalidOptionsError and PermissionsInvalidError, before anything runs, for options that cannot be right;
 * TestInputError for an input or a setting that the workflow does not accept; NotAWorkflowError; what `CompiledGraph.run` throws; InvalidAnswerError for an answer that does not fit
 */
export async function runWorkflow<State extends BaseState = BaseState, Output = unknown>(
  subject: TestSubject<State, Output>,
  options: RunWorkflowOptions<State> = {},
): Promise<WorkflowTestResult<State, Output>> {
  // The cast is true: only the types of the input and of the settings depend on the state, and these are not looked into.
  await assertTestOptions(options as unknown as RunWorkflowOptions);
  const graph = await graphOf(subject, options.config);
  assertTestNames("runWorkflow", { ...options, names: namesOf(graph) });
  const input = await validInput(subject, graph, options.input ?? {});
  const run = new TestRun(graph, options);
  return await run.execute(options.answers ?? {}, (given) => graph.run(input, given));
}

/** One process's part in a run, whose questions are answered while it lasts, or later where nothing else is left to do. */
class AnsweredPart {
  readonly options: { readonly control: RunControl; readonly onEvent: (event: RunEvent) => void };
  readonly #answering: Promise<void>[] = [];
  readonly #open = new Map<string, unknown>();

  constructor(book: AnswerBook, observe: (event: RunEvent) => void) {
    const control = new RunControl();
    const onEvent = (event: RunEvent): void => {
      observe(event);
      if (event.type !== "request") return;
      const { id } = event.request;
      const value = book.next(event.request);
      if (value !== undefined) this.#answering.push(this.#answer(control, id, value));
    };
    this.options = { control, onEvent };
  }

  async #answer(control: RunControl, id: string, value: unknown): Promise<void> {
    try {
      await control.answer(id, value);
    } catch (error) {
      if (!(error instanceof RunNotExecutedError)) throw error;
      this.#open.set(id, value);
    }
  }

  /** The answers that came when the run had nothing left to do. @throws the errors of answers that do not fit */
  async settle(): Promise<Answers | undefined> {
    await Promise.all(this.#answering);
    return this.#open.size === 0 ? undefined : Object.fromEntries(this.#open);
  }
}

/** A run in a test, over all its resumptions. */
class TestRun<State extends BaseState, Output> {
  readonly #graph: CompiledGraph<State, Output>;
  readonly #names: TestNames;
  readonly #options: RunWorkflowOptions<State>;
  readonly #agents: TestAgents;
  readonly #clock: VirtualClock | undefined;
  readonly #saver: Checkpointer;
  readonly #events: RunEvent[] = [];
  readonly #startedAt: number;

  constructor(graph: CompiledGraph<State, Output>, options: RunWorkflowOptions<State>) {
    const { agent, agents, clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z")), saver } = options;
    this.#graph = graph;
    this.#names = namesOf(graph);
    this.#options = options;
    this.#clock = clock === "real" ? undefined : clock;
    this.#startedAt = this.#now();
    this.#saver = saver ?? new MemorySaver();
    this.#agents = new TestAgents({
      agent,
      agents,
      clock: this.#clock,
      workingDirectory: this.#workingDirectory,
      hasPolicy: options.permissions !== undefined,
      canCancel: options.signal !== undefined,
    });
  }

  async execute(
    answers: TestAnswers,
    start: (options: RunOptions<State, Output>) => Promise<RunResult<State, Output>>,
  ): Promise<WorkflowTestResult<State, Output>> {
    const book = new AnswerBook(answers);
    let part = new AnsweredPart(book, (event) => this.#observe(event));
    let result = await start({ ...this.#runOptions(), ...part.options });
    for (
      let open = await part.settle();
      result.status === "suspended" && open !== undefined;
      open = await part.settle()
    ) {
      part = new AnsweredPart(book, (event) => this.#observe(event));
      result = await this.#graph.resume(result.runId, open, { ...this.#resumeOptions(), ...part.options });
    }
    const facts = {
      events: [...this.#events],
      turns: [...this.#agents.turns],
      unusedAnswers: book.unused,
      unused: [...book.describeUnused(this.#knownNodes), ...this.#agents.unused],
      elapsedMs: this.#now() - this.#startedAt,
      knownNodes: this.#knownNodes,
      isOpen: this.#names.isOpen,
    };
    return new WorkflowTestResult(result, facts, (later) => this.#resume(result, later));
  }

  async #resume(
    { runId, requests }: RunResult<State, Output>,
    answers: TestAnswers,
  ): Promise<WorkflowTestResult<State, Output>> {
    assertLaterAnswers(answers, this.#names);
    const book = new AnswerBook(answers);
    const known = requests.map((request) => [request.id, book.next(request)] as const);
    const now = Object.fromEntries(known.filter(([, value]) => value !== undefined));
    const asked = new Set(requests.flatMap(({ id, nodeId }) => [id, nodeId]));
    // A list has further answers for questions that the node asks later.
    const later = Object.entries(answers).flatMap(([name, value]) => {
      if (!asked.has(name)) return [[name, value] as const];
      return Array.isArray(value) && value.length > 1 ? [[name, value.slice(1)] as const] : [];
    });
    return await this.execute(Object.fromEntries(later), ({ runId: _new, ...options }) =>
      this.#graph.resume(runId, now, options),
    );
  }

  #observe(event: RunEvent): void {
    this.#events.push(event);
    this.#agents.onEvent(event);
    this.#options.onEvent?.(event);
  }

  /** The nodes of the workflow, and those that only its run has shown. */
  get #knownNodes(): ReadonlySet<string> {
    const seen = this.#events.flatMap((event) => ("taskId" in event ? [event.nodeId] : []));
    return new Set([...this.#names.nodeIds, ...seen]);
  }

  #resumeOptions(): Omit<RunOptions<State, Output>, "runId"> {
    const { runId: _first, ...options } = this.#runOptions();
    return options;
  }

  #runOptions(): RunOptions<State, Output> {
    const { settings, services, permissions, runId, signal } = this.#options;
    const { clients } = this.#agents;
    const sessionConfig = { ...services?.sessionConfig, ...(permissions === undefined ? {} : { permissions }) };
    const workingDirectory = this.#workingDirectory;
    return {
      // The cast is true: the settings of a run override those of its graph, whatever the type of the output.
      ...(settings as GraphConfig<State, Output> | undefined),
      checkpointer: this.#saver,
      services: {
        subagents: new SubagentGraphBridge({ sessionManager: new SubagentSessionManager({ clients }) }),
        clients,
        ...(workingDirectory === undefined ? {} : { workingDirectory }),
        ...services,
        sessionConfig,
      },
      ...(this.#clock === undefined ? {} : { clock: this.#clock, random: () => 0.5 }),
      ...(runId === undefined ? {} : { runId }),
      ...(signal === undefined ? {} : { signal }),
    };
  }

  get #workingDirectory(): string | undefined {
    return this.#options.repository?.path ?? this.#options.workingDirectory;
  }

  #now(): number {
    return this.#clock?.now() ?? Date.now();
  }
}

async function graphOf<State extends BaseState, Output>(
  subject: TestSubject<State, Output>,
  config: Readonly<Record<string, unknown>> = {},
): Promise<CompiledGraph<State, Output>> {
  const value: unknown = subject;
  const defaults = isRecord(value) && isRecord(value.defaultConfig) ? value.defaultConfig : {};
  // A function alone does not say which settings it has.
  if (typeof value !== "function") assertTestConfig(isRecord(value) ? value.defaultConfig : undefined, config);
  const factory =
    isRecord(value) && !hasMethods(value, ["run", "resume"]) && !hasMethods(value, ["compile"])
      ? (value.default ?? value)
      : value;
  const made: unknown = typeof factory === "function" ? await factory({ ...defaults, ...config }) : factory;
  const compiled: unknown = hasMethods(made, ["compile"]) ? made.compile() : made;
  if (!hasMethods(compiled, ["run", "resume"])) throw new NotAWorkflowError(compiled);
  // The cast is true for a graph: nothing else has these methods, and its types are those of the subject.
  return compiled as unknown as CompiledGraph<State, Output>;
}

function hasMethods<Name extends string>(value: unknown, names: readonly Name[]): value is Record<Name, () => unknown> {
  if (typeof value !== "object" || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>; // an object has fields of any type
  return names.every((name) => typeof fields[name] === "function");
}

/** The input, with the defaults of the `inputs` that a workflow file declares. @throws TestInputError */
async function validInput<State extends BaseState, Output>(
  subject: unknown,
  graph: CompiledGraph<State, Output>,
  input: Readonly<Record<string, unknown>>,
): Promise<Partial<State>> {
  const declared = isRecord(subject) ? await readDeclaredInput(subject.inputs, input) : undefined;
  if (declared === undefined) assertStateInput(graph.inputDefaults, input);
  // The cast is true: what the file's own schema returns is the input of its graph, and other input was checked.
  return (declared ?? input) as Partial<State>;
}
