import { structuredPatch } from "diff";
import { AtomicError, messageOf } from "../../contracts/index.ts";
import type { RecordedFailure } from "./recording.ts";

/** A turn of a replay, for messages. */
export interface ReplayedTurn {
  readonly taskId: string;
  /** From 1, within `taskId`. */
  readonly turn: number;
  readonly runId: string;
}

/** What the run sends to an agent differs from the recording. */
export class ReplayMismatchError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly about: ReplayedTurn,
    readonly difference: {
      readonly what: "prompt" | "system prompt" | "answer's schema";
      readonly recorded: string;
      readonly actual: string;
    },
  ) {
    const { what, recorded, actual } = difference;
    super(
      "REPLAY_PROMPT_CHANGED",
      `The ${what} of ${describeTurn(about)} is not the one in the recording of the run ${about.runId}:\n${formatDifference(recorded, actual)}\nUndo the change, or record the run again.`,
    );
  }
}

/** A node asks an agent, and the recording has no such turn. */
export class ReplayTurnMissingError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly about: ReplayedTurn,
    readonly prompt: string,
    readonly recordedTasks: readonly string[],
  ) {
    const known = recordedTasks.slice(0, MAX_NAMES).join(", ") + (recordedTasks.length > MAX_NAMES ? ", …" : "");
    super(
      "REPLAY_TURN_MISSING",
      `The recording of the run ${about.runId} has no ${describeTurn(about)}, which asks: "${cut(firstLine(prompt))}". It has turns of: ${known || "no node"}. Record the run again.`,
    );
  }
}

/** The recorded turn was interrupted, and nothing interrupts the replay. */
export class ReplayTurnInterruptedError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly about: ReplayedTurn,
    readonly prompt: string,
  ) {
    super(
      "REPLAY_TURN_INTERRUPTED",
      `The recording of the run ${about.runId} has no answer of ${describeTurn(about)}, which was interrupted: "${cut(firstLine(prompt))}". Record the run again.`,
    );
  }
}

/** The replay cannot continue, for a reason that is neither the workflow's nor the recording's. */
export class ReplayFailedError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly about: ReplayedTurn,
    options: { readonly cause: unknown },
  ) {
    super("REPLAY_FAILED", `The replay of ${describeTurn(about)} failed: ${messageOf(options.cause)}`, options);
  }
}

/** An error that a recorded turn failed with. */
export class ReplayedTurnError extends AtomicError {
  readonly isRetryable?: boolean;
  readonly retryAfterMs?: number;

  constructor({ code, message, isRetryable, retryAfterMs }: RecordedFailure) {
    super(code, message);
    if (isRetryable !== undefined) this.isRetryable = isRetryable;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}

const MAX_NAMES = 12;
/** The longest difference in a message, in lines, and the longest line. */
const MAX_LINES = 24;
const MAX_LINE_LENGTH = 300;

function describeTurn({ taskId, turn }: ReplayedTurn): string {
  return turn === 1 ? `"${taskId}"` : `"${taskId}" (turn ${turn})`;
}

function firstLine(prompt: string): string {
  return prompt.trim().split("\n", 1)[0] ?? "";
}

function cut(text: string): string {
  return text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH)}…` : text;
}

/** The lines that differ, with a line of context. Pure. */
export function formatDifference(recorded: string, actual: string): string {
  const { hunks } = structuredPatch("", "", `${recorded}\n`, `${actual}\n`, "", "", { context: 1 });
  const lines = hunks.flatMap(({ lines: hunk }, index) => (index === 0 ? hunk : ["…", ...hunk]));
  const shown = lines.slice(0, MAX_LINES).map((line) => `  ${cut(line)}`);
  return [...shown, ...(lines.length > MAX_LINES ? [`  … ${lines.length - MAX_LINES} more lines`] : [])].join("\n");
}
