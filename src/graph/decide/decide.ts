import type { Instruction } from "../compile/program.ts";
import { immediate } from "../errors/promise-returned-error.ts";
import { explainStateHabit } from "./explain-state-habit.ts";
import { decideItems } from "./fork-branches.ts";
import { recordedErrorOf } from "./records/failure.ts";
import { type Decision, placeOf, type RunState, type Thread } from "./records/run-state.ts";

/** Outcomes of a loop's decision. */
export const LOOP_EXITS = 0;
const LOOP_CONTINUES = 1;
export const LOOP_IS_OVER_LIMIT = 2;

/** An instruction at which the author's code decides. */
export type DecidingInstruction = Extract<Instruction, { op: "if" | "loop" | "map" }>;

/** Calls the author's code, or repeats its recorded decision; `null` when nothing handled its error. */
export function decide(run: RunState, thread: Thread, instruction: DecidingInstruction): Decision {
  // Replay repeats decisions and never evaluates conditions, which may have changed.
  if (run.replayedDecisions !== undefined) return run.replayedDecisions.shift() ?? null;
  let decision: Decision;
  try {
    decision = decideNow(run, thread, instruction);
  } catch (error) {
    decision = run.redact(recordedErrorOf(explainStateHabit(error, thread.state), "CONDITION_FAILED"));
  }
  run.decisions.push(decision);
  return decision;
}

function decideNow(run: RunState, thread: Thread, instruction: DecidingInstruction): Decision {
  switch (instruction.op) {
    case "if":
      return decideIf(thread, instruction);
    case "loop":
      return decideLoop(thread, instruction);
    case "map":
      return decideItems(run, instruction, thread);
  }
}

function decideIf(thread: Thread, instruction: Extract<Instruction, { op: "if" }>): Decision {
  const outcome = instruction.condition(thread.state, { iteration: 0, path: thread.id, ...placeOf(thread) });
  return immediate(outcome, "condition", instruction.id) ? 1 : 0;
}

function decideLoop(thread: Thread, instruction: Extract<Instruction, { op: "loop" }>): Decision {
  const iteration = thread.loops?.get(thread.pc) ?? 0;
  const isDone = instruction.until?.(thread.state, { iteration, path: thread.id, ...placeOf(thread) });
  if (immediate(isDone, "until", instruction.id)) return LOOP_EXITS;
  if (iteration < instruction.maxIterations) return LOOP_CONTINUES;
  return instruction.failsAtLimit ? LOOP_IS_OVER_LIMIT : LOOP_EXITS;
}
