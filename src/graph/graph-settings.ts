import type { Checkpointer } from "./checkpointer.ts";
import type { RunBudget } from "./spending.ts";

/** The settings of a graph as its nodes see them; `GraphConfig`, which has functions besides, says what each is. */
export interface GraphSettings {
  readonly name?: string;
  readonly version?: string;
  readonly stateVersion?: number;
  readonly checkpointer?: Checkpointer;
  readonly checkpointing?: boolean;
  readonly maxConcurrency?: number;
  readonly maxSteps?: number;
  readonly maxVisits?: number;
  readonly timeoutMs?: number;
  readonly budget?: RunBudget;
  readonly defaultModel?: string;
  readonly defaultModelAgent?: string;
  readonly contextWindowThreshold?: number;
  readonly autoApproveWaitMs?: number;
  readonly cancelGraceMs?: number;
  readonly snapshotMinLength?: number;
  readonly history?: "all" | "latest";
}
