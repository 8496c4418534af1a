import type { GraphConfig } from "../model/graph-config.ts";
import { ownValue } from "../state/owned-value.ts";
import type { StateChange } from "../state/state-update.ts";
import type { RunState, Thread } from "./run-state.ts";

/** Notes what a step of the run's own thread has left: what the last of them left is the run's output. */
export function noteOutput(run: RunState, thread: Thread, output: unknown): void {
  if (thread.parent === undefined) run.output = output;
}

/** What a node leaves: its output, else its update. */
export function outputOfNode(id: string, update: StateChange | undefined): unknown {
  const outputs = update?.outputs;
  // Not the state's: that may hold what an earlier visit of the node left.
  return typeof outputs === "object" && outputs !== null && Object.hasOwn(outputs, id)
    ? (outputs as Readonly<Record<string, unknown>>)[id]
    : update;
}

/**
 * What a run that is completed has come to: what `ctx.finish()` was given, what the graph's `output` says, or what the last
 * node left.
 *
 * @throws whatever `output` throws; UnserializableValueError
 */
export function outputOfRun({ finish, output, main }: RunState, config: Pick<GraphConfig, "output">): unknown {
  if (finish !== undefined && "output" in finish) return finish.output;
  return config.output === undefined ? output : ownValue(config.output(main.state), ["output"]);
}
