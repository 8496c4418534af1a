import { isRecord, isText } from "../../contracts/index.ts";

/** The first argument that makes a compiled Atomic the program that rehearses a script. */
export const REHEARSE_PROGRAM = "--rehearse-script";

/** How long a script may take that no agent and no command keeps waiting, in milliseconds. */
export const REHEARSAL_TIMEOUT_MS = 30_000;

/** How much memory a rehearsal may use, in bytes. */
export const MAX_REHEARSAL_BYTES = 1_000_000_000;

/** A script to rehearse. */
export interface RehearsedScript {
  readonly path: string;
  readonly text: string;
  readonly maxAgents: number;
}

/** Whether a value is what `rehearseInChild()` sends. */
export function isRehearsedScript(value: unknown): value is RehearsedScript {
  return isRecord(value) && isText(value.path) && isText(value.text) && typeof value.maxAgents === "number";
}
