import type { RegisteredWorkflow, WorkflowSession } from "../../workflows/index.ts";
import type { RunFlags } from "../config/run-flags.ts";
import type { CliEnvironment } from "../environment.ts";
import type { RunReporter } from "../progress/run-reporter.ts";
import type { Workspace } from "../workspace.ts";
import { findWorkingTree } from "./find-working-tree.ts";
import { nameHolder, type WorkingTreeHolder, WorkingTreeLock } from "./working-tree-lock.ts";

/** A run that will work in a working tree. */
export interface TreeUser {
  readonly environment: Pick<CliEnvironment, "pid">;
  readonly workspace: Pick<Workspace, "atomicHome">;
  readonly flags: Pick<RunFlags, "alongside">;
  readonly workflow: Pick<RegisteredWorkflow, "metadata" | "isReadOnly">;
  readonly workingDirectory: string;
  readonly projectDirectory: string;
  /** Of a run that is there already. */
  readonly session?: Pick<WorkflowSession, "sessionId" | "status"> | undefined;
}

/** What this call of the run is about. */
export interface TreeUse {
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Of a run that waits, because a person can see that. */
  readonly reporter?: Pick<RunReporter, "note">;
}

/** The lock of a run's working tree; undefined for a run that changes nothing, or that the caller wants beside another. */
export function createTreeLock(user: TreeUser, { input, signal, reporter }: TreeUse): WorkingTreeLock | undefined {
  const { workflow, workspace, environment, flags, workingDirectory, projectDirectory, session } = user;
  const isReadOnly = workflow.isReadOnly?.(input) ?? workflow.metadata.isReadOnly ?? false;
  if (isReadOnly || flags.alongside || session?.status === "completed") return undefined;
  const onWait = (holder: WorkingTreeHolder | undefined): void =>
    reporter?.note(`${nameHolder(holder)} works here. Waiting for its end; Ctrl+C stops waiting.`);
  return new WorkingTreeLock({
    atomicHome: workspace.atomicHome,
    root: findWorkingTree(workingDirectory, projectDirectory),
    pid: environment.pid,
    workflow: workflow.metadata.name,
    runId: session?.sessionId,
    signal,
    ...(reporter === undefined ? {} : { onWait }),
  });
}
