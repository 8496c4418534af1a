import type { PermissionPolicy, SandboxConfig } from "../contracts/index.ts";
import type { CompiledGraph, GitReader, RunResult } from "../graph/index.ts";
import type { AgentScript } from "../testkit/index.ts";
import type { ExecuteOptions, RegisteredWorkflow, WorkflowSession } from "../workflows/index.ts";
import type { Config } from "./config/config.ts";
import type { RunFlags } from "./config/run-flags.ts";
import type { WorkflowConfig } from "./config/workflow-config.ts";
import type { CliEnvironment } from "./environment.ts";
import type { ProjectTrust } from "./trust/project-trust.ts";
import type { Workspace } from "./workspace.ts";

/** Shows the output of a completed run. */
export type PresentOutput = (output: unknown) => Promise<void>;

/** A run that a command is about to execute. */
export interface RunPlan {
  readonly environment: CliEnvironment;
  readonly workspace: Workspace;
  readonly config: Config;
  readonly workflow: RegisteredWorkflow;
  readonly flags: RunFlags;
  readonly agent: string;
  readonly model: string | undefined;
  readonly permissions: PermissionPolicy;
  /** The sandbox that all agents run in. */
  readonly sandbox?: SandboxConfig | undefined;
  /** Overrides the workflow's `defaultConfig`. */
  readonly workflowConfig?: WorkflowConfig | undefined;
  /** The working directory of agents and commands. */
  readonly workingDirectory: string;
  /** The project whose workflows steps can run by name. */
  readonly projectDirectory: string;
  readonly trust: ProjectTrust;
  readonly scriptedAgent?: AgentScript | undefined;
  /** Whether an earlier attempt of the same call printed the advice about rules. @default false */
  readonly isRepeated?: boolean;
  /** Whether names that nodes use must exist before anything starts. @default false */
  readonly checksUses?: boolean;
  /**
   * Shows the output of a completed run; the usual ending goes to standard error. With `--json` it must print nothing.
   * @default the output is printed after the ending
   */
  readonly presentOutput?: PresentOutput | undefined;
  /** Reads git repositories. @default one of its own */
  readonly git?: GitReader | undefined;
  /** Of a run that is there already. */
  readonly session?: WorkflowSession;
  readonly inputOf: (graph: CompiledGraph) => Readonly<Record<string, unknown>>;
  /** Starts or resumes the run. */
  readonly execute: (options: ExecuteOptions, input: Readonly<Record<string, unknown>>) => Promise<RunResult>;
}
