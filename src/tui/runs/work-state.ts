import type { RunState } from "../host/runs-port.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import type { Tone } from "./line.ts";

/** What a step, an agent, a task or a run is doing, as far as a sign can say it. */
export type WorkState = "pending" | "running" | "asks" | "waiting" | "done" | "failed" | "skipped";

/** The sign of a state, and its tone. The sign alone says what it is. */
export function signOf(state: WorkState, glyphs: Glyphs): { readonly sign: string; readonly tone: Tone } {
  switch (state) {
    case "pending":
      return { sign: glyphs.pending, tone: "muted" };
    case "running":
      return { sign: glyphs.running, tone: "accent" };
    case "asks":
      return { sign: glyphs.waiting, tone: "warning" };
    case "waiting":
      return { sign: glyphs.paused, tone: "warning" };
    case "done":
      return { sign: glyphs.done, tone: "success" };
    case "failed":
      return { sign: glyphs.failed, tone: "error" };
    case "skipped":
      return { sign: glyphs.skipped, tone: "muted" };
  }
}

/** The sign of a run in a list: a suspended run waits for a person. */
export function stateOfRun(state: RunState): WorkState {
  switch (state) {
    case "running":
      return "running";
    case "pausing":
    case "paused":
      return "waiting";
    case "suspended":
      return "asks";
    case "completed":
      return "done";
    case "failed":
    case "interrupted":
    case "unreadable":
      return "failed";
    case "cancelled":
      return "skipped";
  }
}
