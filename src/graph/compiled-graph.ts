import { AtomicError, type RunEvent } from "../contracts/index.ts";
import type { GraphCode } from "./compile/graph-code.ts";
import { type GraphEdge, type GraphOutline, outlineOf } from "./compile/graph-edges.ts";
import { type OutlineStep, outlineSteps } from "./compile/outline-steps.ts";
import type { Program } from "./compile/program.ts";
import { toMermaid } from "./compile/to-mermaid.ts";
import { toText } from "./compile/to-text.ts";
import { PLAN_OPTIONS, type PlanOptions } from "./dry-run/plan-options.ts";
import type { PlanReport } from "./dry-run/plan-report.ts";
import { planRun } from "./dry-run/plan-run.ts";
import { RunSuspendedError } from "./errors/errors.ts";
import { given } from "./errors/given.ts";
import type { RunCheckpoint } from "./journal/history.ts";
import { withDefaultServices } from "./model/default-services.ts";
import type { GraphConfig } from "./model/graph-config.ts";
import type { NodeDefinition } from "./model/node-definition.ts";
import type { NodeId } from "./model/node-id.ts";
import { assertInput, assertOptions, assertRunId } from "./options/check-call.ts";
import { editRun } from "./run/edit-run.ts";
import { EventStream } from "./run/event-stream.ts";
import {
  checkAnswers,
  compactRun,
  forkRun,
  prepareFork,
  readHistory,
  readLatestState,
  readStateAt,
  resumeRun,
} from "./run/past-runs.ts";
import {
  type Answers,
  EDIT_FIELDS,
  EDIT_OPTIONS,
  type EditOptions,
  FORK_OPTIONS,
  type ForkPoint,
  HISTORY_OPTIONS,
  type HistoryOptions,
  type PreparedFork,
  RESUME_OPTIONS,
  type ResumeOptions,
  RUN_OPTIONS,
  type RunEdit,
  type RunOptions,
  type RunResult,
  STREAM_OPTIONS,
  type StreamOptions,
} from "./run/run-options.ts";
import { startRun } from "./run/start-run.ts";
import type { BaseState, StateSchema } from "./state/annotation.ts";
import { createStateRules } from "./state/state-rules.ts";
import type { StateChange } from "./state/state-update.ts";

/** A graph that can be run. Keeps no state of its runs: any number of them can be in progress at once. */
export class CompiledGraph<State extends BaseState = BaseState, Output = unknown> {
  readonly config: GraphConfig<State, Output>;
  /** The part of the graph that the engine reads. */
  readonly code: GraphCode;
  #outline: GraphOutline | undefined;

  constructor(program: Program, schema: StateSchema | undefined, config: GraphConfig<State, Output>) {
    this.config = config;
    const { defaultModel, defaultModelAgent } = config;
    this.code = { program, rules: createStateRules(schema), model: given({ defaultModel, defaultModelAgent }) };
  }

  /** The declared fields with their initial values; `undefined` for a graph without a schema, which accepts any. */
  get inputDefaults(): Readonly<Record<string, unknown>> | undefined {
    if (this.code.rules.isOpen) return undefined;
    const fields = Object.entries(this.code.rules.fields);
    return Object.fromEntries(
      fields.map(([name, field]) => [name, typeof field.default === "function" ? field.default() : field.default]),
    );
  }

  /** The nodes of the graph by id, in graph order. */
  get nodes(): ReadonlyMap<NodeId, NodeDefinition> {
    const { instructions, pcOfNode } = this.code.program;
    return new Map(
      [...pcOfNode].flatMap(([id, pc]) => {
        const instruction = instructions[pc];
        return instruction?.op === "task" ? [[id, instruction.node] as const] : [];
      }),
    );
  }

  /** The edges between the {@link nodes}, as {@link toMermaid} draws them. */
  get edges(): readonly GraphEdge[] {
    return this.#describe().edges;
  }

  /** The node that a run starts with; if there are several, the first. */
  get startNode(): NodeId | undefined {
    return this.#describe().startNode;
  }

  /** The nodes after which a run can end. */
  get endNodes(): ReadonlySet<NodeId> {
    return this.#describe().endNodes;
  }

  #describe(): GraphOutline {
    this.#outline ??= outlineOf(this.code.program);
    return this.#outline;
  }

  /** The graph as a Mermaid flowchart. */
  toMermaid(): string {
    return toMermaid(this.code.program);
  }

  /** The nodes and blocks of the graph in the order of {@link toText}, for programs that draw the outline themselves. */
  get steps(): readonly OutlineStep[] {
    return outlineSteps(this.code);
  }

  /** The graph as an indented outline for terminals, one line per step. */
  toText(): string {
    return toText(this.code);
  }

  /**
   * Runs the graph without effects: no journal, no commands, no functions, no people, and no waiting. Reports what a run
   * would do. A failure of the run is part of the report.
   *
   * ```ts
   * const report = await research.plan({ topic: "caching" }, { clients: () => createScriptedAgent() });
   * console.log(formatPlan(report));
   * ```
   *
   * @throws InvalidOptionsError, UnknownStateFieldError, UnserializableValueError
   */
  async plan(input: Partial<State> = {}, options: PlanOptions<State> = {}): Promise<PlanReport<State>> {
    assertInput("plan", input);
    assertOptions("plan", options, { table: PLAN_OPTIONS });
    const { code, config } = this;
    const [given, settings] = [{ ...input }, { ...options }];
    // The casts are true: the graph runs with states of its own type, and a partial state is a record of its fields.
    const report = await planRun({ code, config, input: given as StateChange }, settings as PlanOptions);
    return { ...report, state: report.state as unknown as State };
  }

  /**
   * Runs the graph from the start. A failed run is a result, not a rejection.
   *
   * ```ts
   * const result = await research.run({ topic: "caching" }, { checkpointer: new MemorySaver() });
   * if (result.status === "suspended") await research.resume(result.runId, { approve: "yes" });
   * ```
   *
   * @throws InvalidOptionsError, UnknownStateFieldError, RunExistsError, RunLockedError, JournalWriteError
   */
  async run<RunOutput = Output>(
    input: Partial<State> = {},
    options: RunOptions<State, RunOutput> = {},
  ): Promise<RunResult<State, RunOutput>> {
    assertInput("run", input);
    assertOptions("run", options, { table: RUN_OPTIONS });
    return await this.#begin(input, options);
  }

  async #begin<RunOutput>(
    input: Partial<State>,
    options: RunOptions<State, RunOutput>,
  ): Promise<RunResult<State, RunOutput>> {
    const [given, settings] = [{ ...input }, atCall(options)];
    // The casts are true: a partial state is a record of fields, whose names startRun() checks, and the state of the
    // result was made from the schema that gave this graph its type.
    const result = await startRun(this, given as StateChange, settings);
    return result as unknown as RunResult<State, RunOutput>;
  }

  /**
   * Resumes a run that was suspended, cancelled, failed or killed. Finished nodes do not run again; the failed node of a
   * failed run is restarted.
   *
   * @param answers to open questions; all are validated before any is applied
   * @throws InvalidOptionsError, UnknownRunError, RunFinishedError, RunLockedError, UnknownRequestError, InvalidAnswerError,
   *   GraphChangedError, StateChangedError, StateVersionError
   */
  async resume<RunOutput = Output>(
    runId: string,
    answers: Answers = {},
    options: ResumeOptions<State, RunOutput> = {},
  ): Promise<RunResult<State, RunOutput>> {
    assertRunId("resume", runId);
    assertInput("resume", answers);
    assertOptions("resume", options, { table: RESUME_OPTIONS });
    const [given, settings] = [{ ...answers }, atCall(options)];
    // The casts of results and states in this class are true for the same reason as in run().
    return (await resumeRun({ graph: this, runId }, given, settings)) as unknown as RunResult<State, RunOutput>;
  }

  /**
   * Reduces the journal of a run that no process executes to the run's current state. The run can be resumed as before; its
   * history starts there.
   *
   * @throws UnknownRunError, RunLockedError, GraphChangedError, StateChangedError, StateVersionError, JournalWriteError
   */
  async compact(runId: string, options: HistoryOptions = {}): Promise<void> {
    assertOptions("compact", options, { table: HISTORY_OPTIONS });
    await compactRun({ graph: this, runId }, options);
  }

  /** The checkpoints of a run that it can be forked from, oldest first. @throws UnknownRunError, JournalCorruptError */
  async history(runId: string, options: HistoryOptions = {}): Promise<readonly RunCheckpoint[]> {
    assertOptions("history", options, { table: HISTORY_OPTIONS });
    return await readHistory({ graph: this, runId }, options);
  }

  /**
   * The state at a checkpoint of a run's {@link history}, as the node left it that had just finished: in a branch the
   * branch's state, in a subgraph the subgraph's, whose type you pass as `At`.
   *
   * @throws UnknownCheckpointError, GraphChangedError, StateChangedError
   */
  async stateAt<At extends BaseState = State>(
    runId: string,
    sequence: number,
    options: HistoryOptions = {},
  ): Promise<NoInfer<At>> {
    assertOptions("stateAt", options, { table: HISTORY_OPTIONS });
    return (await readStateAt({ graph: this, runId }, sequence, options)) as unknown as At;
  }

  /**
   * The current state of a run, even while a process executes it. After the run it is the state in the result of `run()`.
   *
   * ```ts
   * const { topic } = await research.latestState(runId);
   * ```
   *
   * @throws UnknownRunError, GraphChangedError, StateChangedError, StateVersionError, JournalCorruptError
   */
  async latestState(runId: string, options: HistoryOptions = {}): Promise<State> {
    assertOptions("latestState", options, { table: HISTORY_OPTIONS });
    return (await readLatestState({ graph: this, runId }, options)) as unknown as State;
  }

  /**
   * Starts a new run from a checkpoint of another one, which does not change, and executes it. The update applies to the
   * branch or subgraph that the checkpoint belongs to.
   *
   * ```ts
   * const [start, planned] = await research.history(runId);
   * await research.fork(runId, { at: planned.sequence, update: { topic: "locks" } });
   * ```
   *
   * @throws InvalidOptionsError, UnknownCheckpointError, GraphChangedError, StateChangedError, UnknownStateFieldError, RunExistsError
   */
  async fork<At extends BaseState = State, RunOutput = Output>(
    runId: string,
    from: ForkPoint<NoInfer<At>>,
    options: RunOptions<State, RunOutput> = {},
  ): Promise<RunResult<State, RunOutput>> {
    assertOptions("fork", from, { table: FORK_OPTIONS });
    assertOptions("fork", options, { table: RUN_OPTIONS });
    const [point, settings] = [{ ...from }, atCall(options)];
    return (await forkRun({ graph: this, runId }, point, settings)) as unknown as RunResult<State, RunOutput>;
  }

  /**
   * As {@link fork}, but executes nothing: `resume` does. For callers that have files of the old run to copy first.
   *
   * @throws as {@link fork}
   */
  async prepareFork<At extends BaseState = State>(
    runId: string,
    from: ForkPoint<NoInfer<At>>,
    options: RunOptions<State> & { readonly runId: string },
  ): Promise<PreparedFork> {
    assertOptions("prepareFork", from, { table: FORK_OPTIONS });
    assertOptions("prepareFork", options, { table: RUN_OPTIONS });
    return await prepareFork({ graph: this, runId }, { ...from }, { ...atCall(options), runId: options.runId });
  }

  /**
   * Changes the state of a run that no process executes; `resume` continues with it. The edit is a checkpoint in the run's
   * {@link history}. It applies to branches in progress as well, but not to subgraphs, which have their own state.
   *
   * ```ts
   * await research.edit(runId, { set: { topic: "locks" }, update: { notes: ["changed by hand"] } });
   * ```
   *
   * @returns the state after the edit
   * @throws InvalidOptionsError, UnknownStateFieldError, UnserializableValueError, UnknownRunError, RunNotEditableError,
   *   GraphChangedError, StateChangedError, StateVersionError, JournalWriteError
   */
  async edit(runId: string, edit: RunEdit<State>, options: EditOptions = {}): Promise<State> {
    assertOptions("edit", edit, { table: EDIT_FIELDS });
    assertOptions("edit", options, { table: EDIT_OPTIONS });
    const given = { ...edit };
    return (await editRun({ graph: this, runId }, given, options)) as unknown as State;
  }

  /** Checks answers without applying them. @throws UnknownRunError, UnknownRequestError, InvalidAnswerError */
  async checkAnswers(runId: string, answers: Answers, options: HistoryOptions): Promise<void> {
    assertOptions("checkAnswers", options, { table: HISTORY_OPTIONS });
    await checkAnswers({ graph: this, runId }, answers, options);
  }

  /**
   * Runs the graph and returns its final state.
   *
   * @throws the run's error; RunSuspendedError when the run waits for people; the signal's reason when cancelled
   */
  async execute(input: Partial<State> = {}, options: RunOptions<State> = {}): Promise<State> {
    const result = await this.run(input, options);
    switch (result.status) {
      case "completed":
        return result.state;
      case "suspended":
        throw new RunSuspendedError(
          result.runId,
          result.requests.map((request) => request.id),
        );
      case "cancelled":
        throw options.signal?.reason ?? new AtomicError("RUN_CANCELLED", `The run "${result.runId}" was cancelled.`);
      case "failed":
        throw result.error ?? new AtomicError("RUN_FAILED", `The run "${result.runId}" failed.`);
    }
  }

  /**
   * Runs the graph and yields its events. The run waits for a slow reader. Leaving the loop cancels the run.
   *
   * ```ts
   * for await (const event of research.stream({ topic: "caching" })) console.log(event.type);
   * ```
   */
  async *stream<RunOutput = Output>(
    input: Partial<State> = {},
    streamOptions: StreamOptions<State, RunOutput> = {},
  ): AsyncGenerator<RunEvent, RunResult<State, RunOutput>> {
    assertInput("stream", input);
    assertOptions("stream", streamOptions, { table: STREAM_OPTIONS });
    const { events: wanted, ...options } = streamOptions;
    const events = new EventStream<RunEvent>();
    const leaving = new AbortController();
    const signal = options.signal === undefined ? leaving.signal : AbortSignal.any([options.signal, leaving.signal]);
    const onEvent = (event: RunEvent): void => {
      if (wanted === undefined || wanted.includes(event.type)) events.push(event);
      options.onEvent?.(event);
    };
    const streamed = { ...options, signal, onEvent, whenDrained: () => events.whenDrained() };
    const ended = this.#begin(input, streamed).finally(() => events.close());
    // The reader awaits the failure later: it must not be reported as unhandled before.
    ended.catch(() => undefined);
    try {
      yield* events;
      return await ended;
    } finally {
      leaving.abort(new AtomicError("STREAM_LEFT", "The reader of the run's events left."));
      await ended.catch(() => undefined);
    }
  }
}

/**
 * The options of a run, with the current defaults. A copy, like everything from a caller: later changes to the original
 * must not affect the run.
 */
function atCall<Options extends ResumeOptions>(options: Options): Options {
  return { ...options, services: withDefaultServices(options.services) };
}
