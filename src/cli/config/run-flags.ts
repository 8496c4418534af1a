import type { SessionConfig } from "../../contracts/index.ts";
import type { RunBudget } from "../../graph/index.ts";
import type { TerminalFlags } from "../output/terminal.ts";
import type { PermissionFlags } from "./permission-flags.ts";
import { UsageError } from "./usage-error.ts";

/** The options of every command that executes a run, as commander parses them. */
export interface RunFlags extends TerminalFlags {
  readonly json?: boolean;
  readonly trust?: boolean;
  readonly agent?: string;
  readonly model?: string;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly yolo?: boolean;
  readonly sandbox?: boolean;
  /** False for `--no-hooks`. */
  readonly hooks?: boolean;
  readonly maxTokens?: string;
  readonly maxCost?: string;
  readonly alongside?: boolean;
  /** How long a permission request of an unattended run waits for an answer. */
  readonly ask?: string;
  /** The path of a file with answers for the questions of an unattended run. */
  readonly answers?: string;
  /** A file, or a folder, that receives the turns of the agents. */
  readonly record?: string;
  /** A recording that answers in place of the agents. */
  readonly replay?: string;
  /** False for `--no-notify`. */
  readonly notify?: boolean;
}

/** Parses the run's budget. @throws UsageError */
export function budgetOf({ maxTokens, maxCost }: RunFlags): RunBudget {
  return {
    ...(maxTokens === undefined ? {} : { maxTokens: readAmount("--max-tokens", maxTokens) }),
    ...(maxCost === undefined ? {} : { maxCostUsd: readAmount("--max-cost", maxCost) }),
  };
}

/** Flags of `atomic -p` that limit its session. */
export interface SessionLimitFlags {
  readonly maxTurns?: string;
  readonly maxCost?: string;
  readonly planMode?: boolean;
}

/** Parses the limits of the session of `atomic -p`. @throws UsageError */
export function sessionLimitsOf({
  maxTurns,
  maxCost,
  planMode = false,
}: SessionLimitFlags): Pick<SessionConfig, "maxTurns" | "maxBudgetUsd" | "permissionMode"> {
  return {
    ...(maxTurns === undefined ? {} : { maxTurns: readCount("--max-turns", maxTurns) }),
    ...(maxCost === undefined ? {} : { maxBudgetUsd: readAmount("--max-cost", maxCost) }),
    ...(planMode ? { permissionMode: "plan" } : {}),
  };
}

/** @throws UsageError */
export function readCount(flag: string, text: string): number {
  const count = Number(text);
  if (text.trim() === "" || !Number.isSafeInteger(count) || count < 1) {
    throw new UsageError(`${flag} requires a whole number of at least 1, not "${text}".`);
  }
  return count;
}

function readAmount(flag: string, text: string): number {
  const amount = Number(text);
  if (text.trim() === "" || !Number.isFinite(amount) || amount <= 0) {
    throw new UsageError(`${flag} requires a number above zero, not "${text}".`);
  }
  return amount;
}

/** The permission flags among the options. */
export function permissionFlagsOf({ allow = [], deny = [], yolo = false }: RunFlags): PermissionFlags {
  return { allow, deny, isYolo: yolo };
}
