import type { RunBudget } from "../graph/index.ts";
import type { PermissionFlags } from "./config/permission-flags.ts";
import type { TerminalFlags } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** Options that every command knows that executes a run, as commander delivers them. */
export interface RunFlags extends TerminalFlags {
  readonly json?: boolean;
  readonly trust?: boolean;
  readonly agent?: string;
  readonly model?: string;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly yolo?: boolean;
  readonly sandbox?: boolean;
  readonly maxTokens?: string;
  readonly maxCost?: string;
}

/** How much the run may use up. @throws UsageError */
export function budgetOf({ maxTokens, maxCost }: RunFlags): RunBudget {
  return {
    ...(maxTokens === undefined ? {} : { maxTokens: readAmount("--max-tokens", maxTokens) }),
    ...(maxCost === undefined ? {} : { maxCostUsd: readAmount("--max-cost", maxCost) }),
  };
}

function readAmount(flag: string, text: string): number {
  const amount = Number(text);
  if (text.trim() === "" || !Number.isFinite(amount) || amount <= 0) {
    throw new UsageError(`${flag} takes a number above zero, and "${text}" is none.`);
  }
  return amount;
}

/** The part of the flags that is about permissions. */
export function permissionFlagsOf({ allow = [], deny = [], yolo = false }: RunFlags): PermissionFlags {
  return { allow, deny, isYolo: yolo };
}
