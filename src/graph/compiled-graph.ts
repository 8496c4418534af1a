import { AtomicError, type RunEvent } from "../contracts/index.ts";
import type { BaseState, StateSchema } from "./annotation.ts";
import type { Checkpointer, JournalEntry, RunJournal } from "./checkpointer.ts";
import { toStorable } from "./codec.ts";
import { compactEntries, findBeginning } from "./compact-run.ts";
import { recordGraph } from "./compare-graphs.ts";
import { withDefaultServices } from "./default-services.ts";
import type { PlanOptions } from "./dry-run/plan-options.ts";
import type { PlanReport } from "./dry-run/plan-report.ts";
import { RunFinishedError, RunSuspendedError, UnknownRequestError, UnknownRunError } from "./errors.ts";
import { EventStream } from "./event-stream.ts";
import type { RunServices } from "./execution-context.ts";
import type { GraphCode } from "./graph-code.ts";
import type { GraphConfig, ResumeOptions, RunOptions, RunResult } from "./graph-config.ts";
import { beginJournal, encodeFork, entriesUntil, listCheckpoints, type RunCheckpoint } from "./history.ts";
import { type BeginningRecord, JOURNAL_FORMAT } from "./journal-record.ts";
import { JournalWriter } from "./journal-writer.ts";
import { mergeSettings } from "./merge-settings.ts";
import { migrateRun } from "./migrate-state.ts";
import type { NodeDefinition } from "./node-definition.ts";
import type { NodeId } from "./node-id.ts";
import type { Program } from "./program.ts";
import { validateAnswer } from "./request.ts";
import { type RestoredRun, restoreRun, withWorkflows } from "./restore-run.ts";
import { createRunId } from "./run-id.ts";
import { executeSession, type RunSession } from "./run-session.ts";
import { RunState } from "./run-state.ts";
import { encodeSnapshot } from "./snapshot.ts";
import { createInitialState, createStateRules, type StateChange } from "./state-update.ts";
import { checkCommands } from "./steering/steering.ts";
import { toMermaid } from "./to-mermaid.ts";
import { toText } from "./to-text.ts";

/** Answers to open questions, by the id of the question. */
export type Answers = Readonly<Record<string, unknown>>;

/** Settings of a run that is watched. */
export interface StreamOptions extends RunOptions {
  /** The types of event to yield. @default all */
  readonly events?: readonly RunEvent["type"][];
}

/** Where to look for a run, and how to read it. */
export interface HistoryOptions extends Pick<GraphConfig, "stateVersion" | "migrateState"> {
  /** @default the graph's own */
  readonly checkpointer?: Checkpointer;
  /** Needed where nodes run workflows by name. */
  readonly services?: RunServices;
}

/** Where a new run departs from an old one. */
export interface ForkPoint<State extends BaseState> {
  /** The `sequence` of a checkpoint. */
  readonly at: number;
  /** Fields to change first, combined with the state by their reducers. */
  readonly update?: Partial<State>;
}

/** A graph that can be run. Holds no state of its runs: any number of them may be under way at once. */
export class CompiledGraph<State extends BaseState = BaseState> {
  readonly config: GraphConfig;
  /** What the engine reads of the graph. */
  readonly code: GraphCode;

  constructor(program: Program, schema: StateSchema | undefined, config: GraphConfig) {
    this.config = config;
    this.code = { program, rules: createStateRules(schema) };
  }

  /** The declared fields with their first values; `undefined` for a graph without a schema, which takes any. */
  get inputDefaults(): Readonly<Record<string, unknown>> | undefined {
    if (this.code.rules.isOpen) return undefined;
    const fields = Object.entries(this.code.rules.fields);
    return Object.fromEntries(
      fields.map(([name, field]) => [name, typeof field.default === "function" ? field.default() : field.default]),
    );
  }

  /** The nodes of the graph by their ids, in the order in which they stand there. */
  get nodes(): ReadonlyMap<NodeId, NodeDefinition> {
    const { instructions, pcOfNode } = this.code.program;
    return new Map(
      [...pcOfNode].flatMap(([id, pc]) => {
        const instruction = instructions[pc];
        return instruction?.op === "task" ? [[id, instruction.node] as const] : [];
      }),
    );
  }

  /** The graph as the text of a Mermaid flowchart. */
  toMermaid(): string {
    return toMermaid(this.code.program);
  }

  /** The graph as an indented outline for terminals, a line for each step. */
  toText(): string {
    return toText(this.code);
  }

  /**
   * Runs the graph without effects: no journal, no commands, no functions, no people, and pauses that take no time. Tells
   * what it would do. A failure of the run is part of the report.
   *
   * ```ts
   * const report = await research.plan({ topic: "caching" }, { clients: () => createScriptedAgent() });
   * console.log(formatPlan(report));
   * ```
   *
   * @throws UnknownStateFieldError, UnserializableValueError
   */
  async plan(input: Partial<State> = {}, options: PlanOptions<State> = {}): Promise<PlanReport<State>> {
    const { code, config } = this;
    // Imported late: programs that never plan need not carry it.
    const { planRun } = await import("./dry-run/plan-run.ts");
    // The casts are true: the graph runs with states of its own type, whose fields are named by it.
    const report = await planRun({ code, config, input: input as StateChange }, options as PlanOptions);
    return { ...report, state: report.state as unknown as State };
  }

  /**
   * Runs the graph from the beginning. A failure of the run is a result, not a rejection.
   *
   * ```ts
   * const result = await research.run({ topic: "caching" }, { checkpointer: new MemorySaver() });
   * if (result.status === "suspended") await research.resume(result.runId, { approve: "yes" });
   * ```
   *
   * @throws UnknownStateFieldError, RunExistsError, RunLockedError, JournalWriteError
   */
  async run(input: Partial<State> = {}, options: RunOptions = {}): Promise<RunResult<State>> {
    const services = withDefaultServices(options.services);
    const settings = mergeSettings(this.config, { ...options, services });
    const { checkpointer, snapshotMinLength, now = Date.now } = settings;
    const runId = options.runId ?? createRunId();
    const at = now();
    // The cast is true: a partial state is a record of fields; createInitialState checks their names.
    const change = input as StateChange;
    const run = new RunState(runId, this.code, createInitialState(this.code.rules, change, runId, at));
    run.stateVersion = settings.stateVersion ?? 0;
    toStorable(change, ["input"]);
    const first = this.#firstRecord(runId, change, at, options);
    return await this.#withJournal(checkpointer, runId, "create", async (journal) => {
      const start = { sequence: 0, snapshotLength: 0, lengthSinceSnapshot: 0, snapshotMinLength };
      const writer = journal && new JournalWriter(journal, runId, start);
      const mailbox = checkpointer?.mailbox;
      return await this.#execute({ run, writer, mailbox, first, beginning: first, options: settings });
    });
  }

  /**
   * Goes on with a run that was suspended, cancelled, failed or killed. Finished nodes do not run again; a failed run
   * begins the failed node anew.
   *
   * @param answers to open questions; all are validated before any is taken
   * @throws UnknownRunError, RunFinishedError, RunLockedError, UnknownRequestError, InvalidAnswerError, GraphChangedError,
   *   StateVersionError
   */
  async resume(
    runId: string,
    answers: Answers = {},
    { commands = [], ...options }: ResumeOptions = {},
  ): Promise<RunResult<State>> {
    const services = withDefaultServices(options.services);
    const settings = mergeSettings(this.config, { ...options, services });
    const { checkpointer, snapshotMinLength, now = Date.now } = settings;
    if (checkpointer === undefined) throw new UnknownRunError(runId);
    return await this.#withJournal(checkpointer, runId, "resume", async (journal) => {
      if (journal === undefined) throw new UnknownRunError(runId);
      const entries = await journal.load();
      const { run, lastRecord, position, differences, isMigrated } = await this.#restore(runId, entries, settings);
      if (lastRecord?.type === "end" && lastRecord.status === "completed") throw new RunFinishedError(runId);
      const valid = await this.#validate(run, answers);
      checkCommands(run, { commands, answered: valid.map(([requestId]) => requestId) });
      const writer = new JournalWriter(journal, runId, { ...position, snapshotMinLength });
      const changed = differences.length === 0 ? {} : { graph: recordGraph(this.code.program) };
      const migrated = isMigrated ? { snapshot: encodeSnapshot(run) } : {};
      const first = { type: "resumed", at: now(), ...changed, ...migrated } as const;
      const { mailbox } = checkpointer;
      const beginning = await this.#beginningOf(runId, entries, { checkpointer, ...options });
      const session = { run, writer, mailbox, first, beginning, differences, answers: valid, commands };
      return await this.#execute({ ...session, options: settings });
    });
  }

  /**
   * Reduces the journal of a run that nobody executes to where the run stands. It goes on from there as before; its
   * history begins there.
   *
   * @throws UnknownRunError, RunLockedError, GraphChangedError, StateVersionError, JournalWriteError
   */
  async compact(runId: string, options: HistoryOptions = {}): Promise<void> {
    const checkpointer = this.#saverOf(runId, options);
    const journal = await checkpointer.open(runId, "resume");
    try {
      const entries = await journal.load();
      const { run, lastRecord } = await this.#restore(runId, entries, options);
      const beginning = await findBeginning(checkpointer, runId, entries);
      await journal.replace(compactEntries(run, beginning, lastRecord));
    } finally {
      await journal.close();
    }
  }

  /** What a journal is reduced to needs to say; undefined when it keeps the whole history. */
  async #beginningOf(
    runId: string,
    entries: readonly JournalEntry[],
    options: GraphConfig & { readonly checkpointer: Checkpointer },
  ): Promise<BeginningRecord | undefined> {
    const { history = "all" } = mergeSettings(this.config, options);
    return history === "all" ? undefined : await findBeginning(options.checkpointer, runId, entries);
  }

  /** The moments of a run that one can go back to, oldest first. @throws UnknownRunError, JournalCorruptError */
  async history(runId: string, options: HistoryOptions = {}): Promise<readonly RunCheckpoint[]> {
    return listCheckpoints(await this.#entriesOf(runId, options));
  }

  /** The state of a run at a moment of its {@link history}. @throws UnknownCheckpointError, GraphChangedError */
  async stateAt(runId: string, sequence: number, options: HistoryOptions = {}): Promise<State> {
    const entries = await this.#entriesOf(runId, options);
    const { run: past } = await this.#restore(runId, entriesUntil(runId, entries, sequence), options);
    // The cast is true: the state was made from the schema this graph was typed with.
    return past.main.state as unknown as State;
  }

  /**
   * Starts a new run from a moment of another one, which stays as it is, and executes it.
   *
   * ```ts
   * const [start, planned] = await research.history(runId);
   * await research.fork(runId, { at: planned.sequence, update: { topic: "locks" } });
   * ```
   *
   * @throws UnknownCheckpointError, GraphChangedError, UnknownStateFieldError, RunExistsError
   */
  async fork(runId: string, from: ForkPoint<State>, options: RunOptions = {}): Promise<RunResult<State>> {
    const { now = Date.now } = options;
    const { runId: newRunId = createRunId(), ...resumeOptions } = options;
    const entries = await this.#entriesOf(runId, options);
    const { run: past } = await this.#restore(runId, entriesUntil(runId, entries, from.at), options);
    const at = now();
    // The cast is true: a partial state is a record of fields; encodeFork checks their names.
    const snapshot = encodeFork(past, { runId: newRunId, update: (from.update ?? {}) as StateChange, now: at });
    const record = {
      ...this.#firstRecord(newRunId, {}, at, options),
      forkedFrom: { runId, sequence: from.at },
      snapshot,
    };
    await beginJournal(this.#saverOf(runId, options), record);
    return await this.resume(newRunId, {}, resumeOptions);
  }

  async #restore(
    runId: string,
    entries: readonly JournalEntry[],
    options: HistoryOptions,
  ): Promise<RestoredRun & { readonly isMigrated: boolean }> {
    const services = withDefaultServices(options.services);
    const restored = await withWorkflows(services, (known) => restoreRun(runId, entries, this.code, known));
    return { ...restored, isMigrated: migrateRun(restored.run, mergeSettings(this.config, options)) };
  }

  async #entriesOf(runId: string, options: HistoryOptions): Promise<readonly JournalEntry[]> {
    return await this.#saverOf(runId, options).read(runId);
  }

  #saverOf(runId: string, options: HistoryOptions): Checkpointer {
    const checkpointer = options.checkpointer ?? this.config.checkpointer;
    if (checkpointer === undefined) throw new UnknownRunError(runId);
    return checkpointer;
  }

  /** Checks answers without taking them. @throws UnknownRunError, UnknownRequestError, InvalidAnswerError */
  async checkAnswers(runId: string, answers: Answers, options: HistoryOptions): Promise<void> {
    const { run } = await this.#restore(runId, await this.#entriesOf(runId, options), options);
    await this.#validate(run, answers);
  }

  /**
   * Runs the graph and returns its final state.
   *
   * @throws whatever the run failed with; RunSuspendedError when it stops to ask; the signal's reason when cancelled
   */
  async execute(input: Partial<State> = {}, options: RunOptions = {}): Promise<State> {
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
   * Runs the graph and yields what happens. The run waits for a reader that falls behind; leaving the loop cancels it.
   *
   * ```ts
   * for await (const event of research.stream({ topic: "caching" })) console.log(event.type);
   * ```
   */
  async *stream(
    input: Partial<State> = {},
    { events: wanted, ...options }: StreamOptions = {},
  ): AsyncGenerator<RunEvent, RunResult<State>> {
    const events = new EventStream<RunEvent>();
    const leaving = new AbortController();
    const signal = options.signal === undefined ? leaving.signal : AbortSignal.any([options.signal, leaving.signal]);
    const onEvent = (event: RunEvent): void => {
      if (wanted === undefined || wanted.includes(event.type)) events.push(event);
      options.onEvent?.(event);
    };
    const streamed = { ...options, signal, onEvent, whenDrained: () => events.whenDrained() };
    const ended = this.run(input, streamed).finally(() => events.close());
    // Whoever reads slowly hears of a failure later; until then it must not count as unhandled.
    ended.catch(() => undefined);
    try {
      yield* events;
      return await ended;
    } finally {
      leaving.abort(new AtomicError("STREAM_LEFT", "The reader of the run's events left."));
      await ended.catch(() => undefined);
    }
  }

  #firstRecord(runId: string, input: StateChange, at: number, options: RunOptions): BeginningRecord {
    const { name = "graph", version, stateVersion } = mergeSettings(this.config, options);
    const workflow = {
      name,
      ...(version === undefined ? {} : { version }),
      ...(stateVersion === undefined ? {} : { stateVersion }),
    };
    return { type: "run", at, format: JOURNAL_FORMAT, runId, workflow, ...recordGraph(this.code.program), input };
  }

  async #withJournal(
    checkpointer: Checkpointer | undefined,
    runId: string,
    mode: "create" | "resume",
    action: (journal: RunJournal | undefined) => Promise<RunResult<State>>,
  ): Promise<RunResult<State>> {
    const journal = await checkpointer?.open(runId, mode);
    try {
      const result = await action(journal);
      await journal?.showState?.(result.state);
      return result;
    } finally {
      await journal?.close();
    }
  }

  async #validate(run: RunState, answers: Answers): Promise<readonly (readonly [requestId: string, value: unknown])[]> {
    const open = run.requests;
    const valid: [string, unknown][] = [];
    for (const [requestId, answer] of Object.entries(answers)) {
      const request = open.find(({ id }) => id === requestId);
      const task = request && run.tasks.get(request.id);
      if (request === undefined || task === undefined) {
        const openIds = open.map(({ id }) => id);
        throw new UnknownRequestError(requestId, openIds);
      }
      valid.push([requestId, await validateAnswer(request, task.node, answer)]);
    }
    return valid;
  }

  #execute(session: RunSession): Promise<RunResult<State>> {
    // The cast is true: the state was made from the schema this graph was typed with.
    return executeSession(session) as unknown as Promise<RunResult<State>>;
  }
}
