import type { GraphConfig } from "./graph-config.ts";
import { ownValue } from "./owned-value.ts";
import type { RunState, Thread } from "./run-state.ts";
import type { StateChange } from "./state-update.ts";

/** Notes what a step of the run's own thread has left: what the last of them left is the run's output. */
export function noteOutput(run: RunState, thread: Thread, id: string, update?: StateChange): void {
  if (thread.parent !== undefined) return;
  run.output = id in thread.state.outputs ? thread.state.outputs[id] : update;
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
