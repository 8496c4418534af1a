import {
  Coordinator,
  createResumedRecord,
  createRun,
  decodeRecord,
  limitsOf,
  mergeSettings,
  outputOfRun,
  type RunState,
  restorePastRun,
  resultOf,
  type TakenFirst,
  validateAnswers,
} from "../../../graph/engine.ts";
import type { CompiledGraph, RunResult } from "../../../graph/index.ts";
import { MemoryRunPort } from "./memory-run-port.ts";
import type { BackendOptions, LogState, RunBackend } from "./run-backend.ts";

/** A place that executes graphs, and the events that it published. */
export interface MemoryBackend extends RunBackend {
  /** Those of the last process of a run. */
  readonly published: MemoryRunPort["published"];
}

/** One process's part in a run. */
interface RunPart extends TakenFirst {
  readonly run: RunState;
  readonly first: Parameters<Coordinator["coordinate"]>[0];
}

function begin({ code, config }: CompiledGraph<LogState>, runId: string, options: BackendOptions): RunPart {
  return createRun(code, { runId, input: {}, at: Date.now(), settings: mergeSettings(config, options) });
}

class ProcessDeath extends Error {}

/** Executes graphs with the engine's second face only; the journals are lists of texts. An example for other places. */
export function createMemoryBackend(): MemoryBackend {
  const journals = new Map<string, string[]>();
  let published: MemoryRunPort["published"] = [];

  async function execute(
    { config }: CompiledGraph<LogState>,
    { run, first, answers = [] }: RunPart,
    { signal, recordCount = Number.POSITIVE_INFINITY, ...options }: BackendOptions & { readonly recordCount?: number },
  ): Promise<RunResult<LogState>> {
    const journal = journals.get(run.runId) ?? [];
    journals.set(run.runId, journal);
    const keep = (record: string): void => {
      if (journal.length >= recordCount) throw new ProcessDeath();
      journal.push(record);
    };
    const settings = mergeSettings(config, options);
    const port = new MemoryRunPort({ run, config: settings, keep });
    published = port.published;
    const outputOf = (ended: RunState): unknown => outputOfRun(ended, settings);
    const coordinator = new Coordinator(run, port, limitsOf(settings, { outputOf, canSuspend: true }));
    const cancel = (): void => port.tell({ type: "cancel", reason: signal?.reason });
    if (signal?.aborted) coordinator.cancel(signal.reason);
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      const outcome = await coordinator.coordinate(first, { answers });
      // The cast is true: the state of the run was made from the schema of the graph.
      return resultOf(run, outcome, []) as RunResult<LogState>;
    } finally {
      signal?.removeEventListener("abort", cancel);
      await port.close();
    }
  }

  return {
    get published() {
      return published;
    },
    run: (graph, runId, options = {}) => execute(graph, begin(graph, runId, options), options),
    async resume(graph, runId, answers = {}, options = {}) {
      const entries = (journals.get(runId) ?? []).map((body, index) => ({
        sequence: index + 1,
        kind: "record" as const,
        body,
      }));
      const restored = await restorePastRun({ graph, runId }, entries, {});
      const taken = await validateAnswers(restored.run, answers);
      const first = createResumedRecord(graph, restored, Date.now());
      return await execute(graph, { run: restored.run, first, answers: taken }, options);
    },
    async runUntilDeath(graph, runId, recordCount) {
      try {
        await execute(graph, begin(graph, runId, {}), { recordCount });
        return { hasEnded: true, kept: [] };
      } catch (error) {
        if (!(error instanceof ProcessDeath)) throw error;
      }
      const kept = (journals.get(runId) ?? []).map(decodeRecord).flatMap((record) => {
        if (record.type === "done") return [record.task];
        return record.type === "step" ? [`${record.task} ${record.key}`] : [];
      });
      return { hasEnded: false, kept };
    },
  };
}
