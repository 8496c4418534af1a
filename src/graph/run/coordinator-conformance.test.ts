import { coordinatorConformance } from "../../testkit/conformance/engine/coordinator-conformance.ts";
import type { RunBackend } from "../../testkit/conformance/engine/run-backend.ts";
import { JournalWriteError } from "../errors/errors.ts";
import { FaultySaver } from "../fixtures/faulty-saver.ts";
import { recordsOf } from "../fixtures/test-nodes.ts";
import type { Checkpointer } from "../model/checkpointer.ts";
import { MemorySaver } from "../savers/memory-saver.ts";

/** Graphs in this process, their journals in memory; a process dies when its journal takes no more. */
function createLocalBackend(): RunBackend {
  const checkpointer: Checkpointer = new MemorySaver();
  return {
    run: (graph, runId, options) => graph.run({}, { ...options, runId, checkpointer }),
    resume: (graph, runId, answers, options) => graph.resume(runId, answers, { ...options, checkpointer }),
    async runUntilDeath(graph, runId, recordCount) {
      const mortal = new FaultySaver(checkpointer, { failAfter: recordCount });
      try {
        await graph.run({}, { runId, checkpointer: mortal });
        return { hasEnded: true, kept: [] };
      } catch (error) {
        if (!(error instanceof JournalWriteError)) throw error;
      }
      const records = await recordsOf(checkpointer, runId);
      const kept = records.flatMap((record) => {
        if (record.type === "done") return [record.task];
        return record.type === "step" ? [`${record.task} ${record.key}`] : [];
      });
      return { hasEnded: false, kept };
    },
  };
}

coordinatorConformance("one process", createLocalBackend);
