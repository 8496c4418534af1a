import type { WorkflowInput } from "./workflow-input.ts";

/** The origin of a workflow: the program itself, the user's folder, or the project. */
export type WorkflowSource = "builtin" | "global" | "local";

/** What lists, menus and help show about a workflow. */
export interface WorkflowMetadata {
  /** Its name for `atomic run`, without a slash. */
  readonly name: string;
  readonly description: string;
  /** Other names it answers to. */
  readonly aliases: readonly string[];
  readonly source: WorkflowSource;
  /** The configuration to use when the caller passes none. */
  readonly defaultConfig?: Readonly<Record<string, unknown>>;
  /** The version of the workflow itself, as `1.2.3`. */
  readonly version?: string;
  /** The oldest Atomic that can run it, as `1.2.3`. */
  readonly minSDKVersion?: string;
  /** Incremented when the shape of the workflow's state changes. */
  readonly stateVersion?: number;
  /** Whether its runs leave the project's files as they are, so that they can work beside others. @default false */
  readonly isReadOnly?: boolean;
  /** What may follow the name, for example `PROMPT [--draft]`. */
  readonly argumentHint?: string;
  /** The inputs that it declares; without a declaration, the fields of its state. */
  readonly inputs?: readonly WorkflowInput[];
}
