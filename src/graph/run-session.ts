import type { BaseState } from "./annotation.ts";
import { DEFAULT_MAX_VISITS } from "./arrivals.ts";
import type { RunMailbox } from "./checkpointer.ts";
import { Coordinator, type TakenFirst } from "./coordinator.ts";
import { errorInfoOf } from "./failure.ts";
import { given } from "./given.ts";
import type { GraphConfig, RunOptions, RunResult } from "./graph-config.ts";
import type { BeginningRecord, JournalRecord } from "./journal-record.ts";
import type { JournalWriter } from "./journal-writer.ts";
import { LocalRunner } from "./local-runner.ts";
import { errorOf } from "./node-context.ts";
import { outputOfRun } from "./run-output.ts";
import type { RunLimits, RunOutcome } from "./run-port.ts";
import type { RunState } from "./run-state.ts";
import { CommandInbox } from "./steering/command-inbox.ts";
import type { SteeringCommand } from "./steering/steering-command.ts";
import { RunNotExecutedError } from "./steering/steering-errors.ts";
import type { RunTelemetry } from "./telemetry/run-telemetry.ts";
import type { TelemetryPort } from "./telemetry/telemetry-port.ts";

/** What one process does for a run. */
export interface RunSession extends TakenFirst {
  readonly run: RunState;
  /** Absent for a run that leaves nothing on disk. */
  readonly writer: JournalWriter | undefined;
  /** Where commands of other processes arrive. */
  readonly mailbox: RunMailbox | undefined;
  readonly first: Extract<JournalRecord, { type: "run" | "resumed" }>;
  /** What the journal begins with. */
  readonly beginning: BeginningRecord | undefined;
  /** How the graph differs from the one the run was executed with before. */
  readonly differences?: readonly string[];
  /** What the one who executes the run has to be told first. */
  readonly warnings?: readonly string[];
  /** The graph's own settings, and over them the run's. */
  readonly options: GraphConfig & RunOptions & { readonly whenDrained?: () => Promise<void> | undefined };
}

/** Executes a run from its beginning or resumption to the end of this process's part in it. */
export async function executeSession(session: RunSession): Promise<RunResult> {
  const { run, writer, first, differences = [], warnings = [], options } = session;
  const beginning = options.history === "latest" ? session.beginning : undefined;
  const { signal, now = Date.now, random = Math.random } = options;
  const telemetry = options.telemetry && (await createTelemetry(options.telemetry, options.onEvent));
  const runner = new LocalRunner({
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
  });
  const limits = limitsOf(session, runner);
  const coordinator = new Coordinator(run, runner, limits);
  const { inbox, stopListening } = listenForCommands(session, runner);
  if (first.type === "resumed") await inbox?.refuseEarlier();
  const detach = options.guard?.attach((error) => runner.tell({ type: "crash", error }));
  const cancel = (): void => runner.tell({ type: "cancel", reason: signal?.reason });
  if (signal?.aborted) coordinator.cancel(signal.reason);
  signal?.addEventListener("abort", cancel, { once: true });
  const workflow = options.name ?? "graph";
  run.workflowName = workflow;
  run.maxUpdateBytes = options.maxUpdateBytes ?? run.maxUpdateBytes;
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
  if (!("thrown" in end)) return resultOf(run, runner, end);
  telemetry?.fail(end.thrown, now());
  throw end.thrown;
}

function limitsOf({ writer, options }: RunSession, runner: LocalRunner): RunLimits {
  const { maxConcurrency = 16, maxSteps = 1_000_000, maxVisits = DEFAULT_MAX_VISITS } = options;
  const { autoApproveWaitMs = 600_000, cancelGraceMs = 10_000, timeoutMs, budget } = options;
  const outputOf = (ended: RunState): unknown => runner.call("output", () => outputOfRun(ended, options));
  const canSuspend = writer !== undefined;
  const times = { timeoutMs, autoApproveWaitMs, cancelGraceMs };
  return { outputOf, canSuspend, maxConcurrency, maxSteps, maxVisits, budget, ...times };
}

/** Imported late: most runs tell nobody. */
async function createTelemetry(port: TelemetryPort, onEvent: RunOptions["onEvent"]): Promise<RunTelemetry> {
  const { RunTelemetry: Telemetry } = await import("./telemetry/run-telemetry.ts");
  return new Telemetry(port, onEvent);
}

/** Passes commands on that come while the run is executed. Resolves when those that came too late were refused. */
function listenForCommands(
  { run, mailbox, options }: RunSession,
  runner: LocalRunner,
): { readonly inbox: CommandInbox | undefined; readonly stopListening: () => Promise<void> } {
  const { control } = options;
  if (control === undefined && mailbox === undefined) return { inbox: undefined, stopListening: async () => undefined };
  const waiting = new Set<(error: Error) => void>();
  const send = (command: SteeringCommand): Promise<void> =>
    new Promise((resolve, reject) => {
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
    for (const refuse of waiting) refuse(new RunNotExecutedError(run.runId));
    await closed;
  };
  return { inbox, stopListening };
}

function resultOf(run: RunState, runner: LocalRunner, outcome: RunOutcome): RunResult {
  const { status, failure, output } = outcome;
  const { usage, requests } = run;
  const errorInfo = failure && errorInfoOf(failure);
  if (runner.isObserved) {
    const told = { status, usage, ...given({ error: errorInfo, output }) };
    runner.publish({ type: "run-end", ...told });
  }
  const error = failure && errorOf(failure);
  const state: BaseState = run.main.state;
  const { warnings } = runner;
  return { runId: run.runId, status, state, requests, error, errorInfo, usage, output, warnings };
}
