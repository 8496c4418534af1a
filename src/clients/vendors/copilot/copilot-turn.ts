import { stringOf } from "../../../contracts/index.ts";
import type { CopilotEvent } from "./copilot-wire.ts";

/** How far Copilot is with a turn. */
export interface TurnProgress {
  /** `sent` until Copilot has recorded the message; `quiet` while only background work delays the end. */
  readonly phase: "sent" | "running" | "quiet" | "over";
  /** The data of the last `session.error`. */
  readonly error?: unknown;
  /** The text of the last message. */
  readonly lastText: string;
}

/** A turn that was just sent. */
export function startProgress(): TurnProgress {
  return { phase: "sent", lastText: "" };
}

/**
 * The progress after one more event. Pure.
 *
 * 1. An idle event ends a turn only after Copilot has recorded the message or failed: it may belong to an aborted turn
 *    before.
 * 2. `session.idle` waits for commands and sub-agents in the background, `assistant.idle` does not; an aborted turn may
 *    end without the former.
 * 3. An error is final only when the session becomes idle with it: Copilot may continue, for example with another model.
 */
export function advanceProgress(progress: TurnProgress, { type, data, agentId }: CopilotEvent): TurnProgress {
  if (agentId !== undefined || progress.phase === "over") return progress;
  const hasBegun = progress.phase !== "sent" || progress.error !== undefined;
  switch (type) {
    case "user.message":
    case "assistant.turn_start":
      return { ...progress, phase: "running" };
    case "assistant.message": {
      const { error: _, ...rest } = progress;
      return { ...rest, lastText: stringOf(data.content) };
    }
    case "session.error":
      return { ...progress, error: data };
    case "assistant.idle":
      if (!hasBegun) return progress;
      return { ...progress, phase: data.aborted === true ? "over" : "quiet" };
    case "session.idle":
      return hasBegun ? { ...progress, phase: "over" } : progress;
    default:
      return progress;
  }
}
