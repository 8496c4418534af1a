import type { GraphCode } from "../compile/graph-code.ts";
import { errorInfoOf } from "../decide/records/failure.ts";
import type { RunLimits } from "../decide/run-port.ts";
import type { GraphConfig } from "../model/graph-config.ts";
import { Coordinator } from "../run/coordinator.ts";
import { errorOf } from "../run/node-context.ts";
import { limitsOf } from "../run/run-session.ts";
import { createRun } from "../run/start-run.ts";
import { VirtualClock } from "../run/virtual-clock.ts";
import { VirtualRunner } from "../run/virtual-runner.ts";
import type { StateChange, StateRecord } from "../state/state-update.ts";
import { createDryServices, DryCode } from "./dry-code.ts";
import type { PlanOptions } from "./plan-options.ts";
import { PlanRecorder } from "./plan-recorder.ts";
import type { PlanReport } from "./plan-report.ts";

/** All dry runs share an id: they have no journal. */
const RUN_ID = "plan";
/** How long cancelled code may keep running, in real milliseconds. Short, because a dry run has little to clean up. */
const CANCEL_GRACE_MS = 1_000;

/** A graph to plan, its settings, and its input. */
export interface PlanSubject {
  readonly code: GraphCode;
  readonly config: GraphConfig;
  readonly input: StateChange;
}

/**
 * Runs a graph without a journal, without waiting and without effects, on the real coordinator, and reports its steps. A
 * failed run is a result, too.
 *
 * @throws UnknownStateFieldError, UnserializableValueError when the input is invalid
 */
export async function planRun(
  { code, config, input }: PlanSubject,
  options: PlanOptions,
): Promise<PlanReport & { readonly state: StateRecord }> {
  const clock = new VirtualClock(Date.now());
  const recorder = new PlanRecorder();
  const dryCode = new DryCode(options, recorder).rewriteRoot(code);
  const { run, first } = createRun(dryCode, { runId: RUN_ID, input, at: clock.now(), settings: config });
  run.workflowName = first.workflow.name;
  const runner = new VirtualRunner({
    run,
    writer: undefined,
    services: createDryServices(options),
    config: options.defaultModel === undefined ? config : { ...config, defaultModel: options.defaultModel },
    clock,
    patienceMs: options.patienceMs ?? 1_000,
    random: () => 0.5,
    observe: (event) => recorder.observe(event),
  });
  const coordinator = new Coordinator(run, runner, limitsOfPlan(config, options));
  const { status, failure } = await withCancel(options.signal, runner, async () => {
    if (options.signal?.aborted) coordinator.cancel(options.signal.reason);
    return await coordinator.coordinate(first);
  });
  const { steps, loops } = recorder;
  return {
    status,
    state: run.main.state,
    error: failure && errorOf(failure),
    errorInfo: failure && errorInfoOf(failure),
    steps,
    loops,
    warnings: runner.warnings,
    waitedMs: clock.elapsedMs,
    usage: run.spent.usage,
  };
}

/** The limits of the run, except where a dry run has its own: it has no journal, and waiting takes no time. */
function limitsOfPlan(config: GraphConfig, { maxSteps = 10_000 }: PlanOptions): RunLimits {
  const own = { maxSteps, autoApproveWaitMs: Number.POSITIVE_INFINITY, cancelGraceMs: CANCEL_GRACE_MS };
  return limitsOf({ ...config, ...own }, { outputOf: () => undefined, canSuspend: true });
}

async function withCancel<T>(
  signal: AbortSignal | undefined,
  runner: VirtualRunner,
  action: () => Promise<T>,
): Promise<T> {
  const cancel = (): void => runner.tell({ type: "cancel", reason: signal?.reason });
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    return await action();
  } finally {
    signal?.removeEventListener("abort", cancel);
    await runner.close(CANCEL_GRACE_MS);
  }
}
