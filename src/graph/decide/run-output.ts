import type { GraphConfig } from "../model/graph-config.ts";
import { ownValue } from "../state/owned-value.ts";
import type { StateChange } from "../state/state-update.ts";
import type { RunState, Thread } from "./records/run-state.ts";

/** Records the output of a step of the run's own thread: that of the last step is the run's output. */
export function noteOutput(run: RunState, thread: Thread, output: unknown): void {
  if (thread.parent === undefined) run.output = output;
}

/** The output of a node, or else its update. */
export function outputOfNode(id: string, update: StateChange | undefined): unknown {
  const outputs = update?.outputs;
  // Not the state's outputs: they may be from an earlier visit of the node.
  return typeof outputs === "object" && outputs !== null && Object.hasOwn(outputs, id)
    ? (outputs as Readonly<Record<string, unknown>>)[id]
    : update;
}

/**
 * The output of a completed run: the value passed to `ctx.finish()`, or the result of the graph's `output`, or the output
 * of the last node.
 *
 * @throws whatever `output` throws; UnserializableValueError
 */
export function outputOfRun(run: RunState, config: Pick<GraphConfig, "output">): unknown {
  const { finish, output, main } = run;
  if (finish !== undefined && "output" in finish) return finish.output;
  return config.output === undefined ? output : ownValue(run.redact(config.output(main.state)), ["output"]);
}
