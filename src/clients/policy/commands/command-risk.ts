import type { ShellWord } from "../shell/shell-line.ts";

/** A part of a command that runs something other than the command's program. It requires approval. */
export interface CommandRisk {
  /** Its position in the command's text. A rule that allows it must spell out these characters. */
  readonly start: number;
  readonly end: number;
  /** The part itself. */
  readonly text: string;
  readonly program: string;
  /** A clause, for people. */
  readonly reason: string;
}

/** Why a word that only a running shell can evaluate requires approval. */
export const UNKNOWN = "only a running shell knows its value, which may be an option that runs programs";

/** A word that requires approval. */
export function riskOf({ start, end, raw }: ShellWord, program: string, reason: string): CommandRisk {
  return { start, end, text: raw, program, reason };
}
