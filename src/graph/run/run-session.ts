import { DEFAULT_MAX_VISITS } from "../decide/arrivals.ts";
import { errorInfoOf } from "../decide/records/failure.ts";
import type { BeginningRecord, JournalRecord } from "../decide/records/journal-record.ts";
import type { RunState } from "../decide/records/run-state.ts";
import { outputOfRun } from "../decide/run-output.ts";
import type { RunLimits, RunOutcome } from "../decide/run-port.ts";
import { given } from "../errors/given.ts";
import type { JournalWriter } from "../journal/journal-writer.ts";
import type { RunMailbox } from "../model/checkpointer.ts";
import type { GraphConfig } from "../model/graph-config.ts";
import type { SteeringCommand } from "../model/steering-command.ts";
import type { BaseState } from "../state/annotation.ts";
import { CommandInbox } from "../steering/command-inbox.ts";
import { RunNotExecutedError } from "../steering/steering-errors.ts";
import { RunTelemetry } from "../telemetry/run-telemetry.ts";
import { Coordinator, type TakenFirst } from "./coordinator.ts";
import { LocalRunner, type LocalRunnerOptions } from "./local-runner.ts";
import { errorOf } from "./node-context.ts";
import type { RunOptions, RunResult } from "./run-options.ts";
import { VirtualRunner } from "./virtual-runner.ts";

/** One process's part in a run. */
export interface RunSession extends TakenFirst {
  readonly run: RunState;
  /** Absent for a run without a journal. */
  readonly writer: JournalWriter | undefined;
  /** Delivers commands from other processes. */
  readonly mailbox: RunMailbox | undefined;
  readonly first: Extract<JournalRecord, { type: "run" | "resumed" }>;
  /** The journal's first record. */
  readonly beginning: BeginningRecord | undefined;
  /** How the graph differs from the one that the run used before. */
  readonly differences?: readonly string[];
  /** Published before anything else. */
  readonly warnings?: readonly string[];
  /** The graph's own settings, overridden by the run's. */
  readonly options: GraphConfig & RunOptions & { readonly whenDrained?: () => Promise<void> | undefined };
}

/** Executes a run from its beginning or resumption to the end of this process's part in it. */
export async function executeSession(session: RunSession): Promise<RunResult> {
  const { run, writer, first, differences = [], warnings = [], options } = session;
  const beginning = options.history === "latest" ? session.beginning : undefined;
  const { signal, clock, now = clock?.now ?? Date.now, random = Math.random } = options;
  const telemetry = options.telemetry && new RunTelemetry(options.telemetry, options.onEvent);
  const parts: LocalRunnerOptions = {
    run,
    writer,
    beginning,
    services: options.services ?? {},
    config: options,
    now,
    random,
    observe: telemetry === undefined ? options.onEvent : (event) => telemetry.observe(event),
    hasStateInEvents: options.hasStateInEvents,
    onProgress: options.onProgress,
    guard: options.guard,
    whenDrained: options.whenDrained,
  };
  const runner = clock === undefined ? new LocalRunner(parts) : new VirtualRunner({ ...parts, clock });
  const limits = limitsOf(clock === undefined ? options : { ...options, autoApproveWaitMs: Number.POSITIVE_INFINITY }, {
    outputOf: (ended) => runner.call("output", () => outputOfRun(ended, options)),
    canSuspend: writer !== undefined,
  });
  const coordinator = new Coordinator(run, runner, limits);
  const { inbox, stopListening } = listenForCommands(session, runner);
  if (first.type === "resumed") await inbox?.refuseEarlier();
  const detach = options.guard?.attach((error) => runner.tell({ type: "crash", error }));
  const cancel = (): void => runner.tell({ type: "cancel", reason: signal?.reason });
  if (signal?.aborted) coordinator.cancel(signal.reason);
  signal?.addEventListener("abort", cancel, { once: true });
  const workflow = options.name ?? "graph";
  run.workflowName = workflow;
  if (runner.isObserved) {
    runner.publish({ type: "run-start", workflow, isResume: first.type === "resumed" });
    if (differences.length > 0) runner.publish({ type: "graph-changed", differences });
  }
  for (const warning of warnings) runner.warn(warning);
  let end: RunOutcome | { readonly thrown: unknown };
  try {
    end = await coordinator.coordinate(first, session);
  } catch (thrown) {
    end = { thrown };
  }
  signal?.removeEventListener("abort", cancel);
  await stopListening();
  detach?.();
  await runner.close(limits.cancelGraceMs);
  if (!("thrown" in end)) {
    if (runner.isObserved) publishEnd(run, runner, end);
    return resultOf(run, end, runner.warnings);
  }
  telemetry?.fail(end.thrown, now());
  throw end.thrown;
}

/** The limits of a run from its settings, with their defaults. */
export function limitsOf(settings: GraphConfig, own: Pick<RunLimits, "outputOf" | "canSuspend">): RunLimits {
  const { maxConcurrency = 16, maxSteps = 1_000_000, maxVisits = DEFAULT_MAX_VISITS } = settings;
  const { autoApproveWaitMs = 600_000, cancelGraceMs = 10_000, timeout, timeoutMs = timeout, budget } = settings;
  return { ...own, maxConcurrency, maxSteps, maxVisits, budget, timeoutMs, autoApproveWaitMs, cancelGraceMs };
}

/** Passes commands on while the run is executed. `stopListening` resolves when commands that came too late are rejected. */
function listenForCommands(
  { run, mailbox, options }: RunSession,
  runner: LocalRunner,
): { readonly inbox: CommandInbox | undefined; readonly stopListening: () => Promise<void> } {
  const { control, takeAnswer } = options;
  if (control === undefined && mailbox === undefined) return { inbox: undefined, stopListening: async () => undefined };
  const waiting = new Set<(error: Error) => void>();
  const send = (command: SteeringCommand): Promise<void> =>
    new Promise((resolve, reject) => {
      if (command.type === "answer" && takeAnswer?.(command.request, command.value)) return resolve();
      waiting.add(reject);
      const settle = (error?: Error): void => {
        waiting.delete(reject);
        if (error === undefined) resolve();
        else reject(error);
      };
      runner.tell({ type: "command", command, settle });
    });
  const detach = control?.attach(send);
  const inbox = mailbox && new CommandInbox(mailbox, run.runId, send);
  const stopListening = async (): Promise<void> => {
    detach?.();
    const closed = inbox?.close();
    for (const reject of waiting) reject(new RunNotExecutedError(run.runId));
    await closed;
  };
  return { inbox, stopListening };
}

function publishEnd({ spent }: RunState, runner: LocalRunner, { status, failure, output }: RunOutcome): void {
  const error = failure && errorInfoOf(failure);
  runner.publish({ type: "run-end", status, ...spent, ...given({ error, output }) });
}

/** The result for the caller when this process's part in the run has ended. */
export function resultOf(run: RunState, outcome: RunOutcome, warnings: readonly string[]): RunResult {
  const { status, failure, output } = outcome;
  const { runId, spent, requests } = run;
  const errorInfo = failure && errorInfoOf(failure);
  const error = failure && errorOf(failure);
  const state: BaseState = run.main.state;
  return { runId, status, state, requests, error, errorInfo, ...spent, output, warnings };
}
