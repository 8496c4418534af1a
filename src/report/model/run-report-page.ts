import type { RunErrorInfo, TaskProgress, ToolKind, Usage } from "../../contracts/index.ts";

/** An edit of the run's state. */
export interface ReportedEdit {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly fields: readonly ReportedInput[];
}

/** The content of a run's report: everything that is shown, and nothing about how. */
export interface RunReportPage {
  readonly runId: string;
  readonly workflow: string;
  readonly workflowVersion?: string;
  /** `interrupted`: the process that executed it died. */
  readonly status: ReportedRunStatus;
  /** The run that it continues, and the moment. */
  readonly forkedFrom?: { readonly runId: string; readonly at: number };
  /** The part of a fork's usage that the run before it has used. */
  readonly inheritedUsage?: Usage;
  /** When the report was created, in milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The last moment that is known of it, in milliseconds since 1970. */
  readonly lastAt: number;
  readonly agent?: string;
  readonly model?: string;
  readonly project?: string;
  /** The commit that the project was at when the run started. */
  readonly base?: ReportedBase;
  readonly inputs: readonly ReportedInput[];
  readonly error?: RunErrorInfo;
  /** The output of a completed run, as text. */
  readonly output?: string;
  readonly usage: Usage;
  readonly usageByAgent: readonly ReportedUsage[];
  readonly graph?: ReportedGraph;
  /** In the order of their starts; those that a fork inherited first. */
  readonly visits: readonly ReportedVisit[];
  readonly questions: readonly ReportedQuestion[];
  /** Oldest first. */
  readonly edits: readonly ReportedEdit[];
  readonly tasks: readonly TaskProgress[];
  readonly warnings: readonly ReportedWarning[];
  /** What the run changed in its repository. Absent when that is not known; a note says why. */
  readonly changes?: ReportedChanges;
  /** What the reader must know about the report: what is missing, and why. */
  readonly notes: readonly string[];
  /** Whether prompts, outputs, diffs and other texts were left out. */
  readonly isWithoutTexts: boolean;
}

/** The status of a run in its report. */
export type ReportedRunStatus =
  | "running"
  | "pausing"
  | "completed"
  | "suspended"
  | "paused"
  | "failed"
  | "cancelled"
  | "interrupted"
  | "not started";

/** The commit that a run started from. */
export interface ReportedBase {
  readonly commit: string;
  /** Absent when no branch was checked out. */
  readonly branch?: string;
}

/** A field of the input that a run was started with. */
export interface ReportedInput {
  readonly name: string;
  readonly text: string;
}

/** What an agent has used. */
export interface ReportedUsage {
  readonly agent: string;
  readonly usage: Usage;
}

/** The status of a visit, or of a node of the graph. */
export type ReportedStatus =
  | "completed"
  | "not passed"
  | "failed"
  | "running"
  | "stopped"
  | "waiting"
  | "sleeping"
  | "skipped"
  | "dropped"
  | "inherited"
  | "not visited";

/** The picture of a graph. */
export interface ReportedGraph {
  readonly nodes: readonly ReportedNode[];
  readonly edges: readonly ReportedEdge[];
  /** Whether it was derived from the visits, because the workflow could not be loaded. */
  readonly isDerived: boolean;
}

/** A node of a graph. */
export interface ReportedNode {
  readonly id: string;
  readonly name: string;
  readonly status: ReportedStatus;
  readonly visits: number;
  readonly durationMs: number;
  /** The visit that the node links to: the one that failed, otherwise the last one. */
  readonly taskId?: string;
}

/** An edge of a graph. */
export interface ReportedEdge {
  readonly from: string;
  readonly to: string;
  readonly label?: string;
}

/** A visit of a node. */
export interface ReportedVisit {
  readonly taskId: string;
  readonly nodeId: string;
  readonly name: string;
  readonly nodeType?: string;
  readonly status: ReportedStatus;
  readonly attempts: number;
  /** Milliseconds since 1970. Absent when unknown. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly durationMs?: number;
  readonly usage: Usage;
  readonly usageByAgent: readonly ReportedUsage[];
  readonly agents: readonly string[];
  readonly error?: RunErrorInfo;
  /** What it did at which time. */
  readonly periods: readonly ReportedPeriod[];
  /** What happened in it, in order. */
  readonly parts: readonly ReportedPart[];
  /** How many parts are not in `parts`, because there are too many. */
  readonly partsLeftOut: number;
}

/** A period of a visit. */
export interface ReportedPeriod {
  /** `cancelled`: it worked, and was stopped before its end. */
  readonly type: "work" | "failed" | "cancelled" | "wait" | "sleep";
  readonly from: number;
  readonly to: number;
}

/** Something that happened in a visit; `at` is in milliseconds since 1970. */
export type ReportedPart =
  | {
      readonly type: "prompt";
      readonly at: number;
      readonly message: string;
      readonly systemPrompt?: string;
      readonly agent?: string;
    }
  | { readonly type: "text" | "thinking"; readonly at: number; readonly text: string }
  | ReportedToolCall
  | ReportedCommand
  | { readonly type: "denied"; readonly at: number; readonly title: string; readonly reason: string }
  | ReportedSubagent
  | { readonly type: "question"; readonly at: number; readonly question: string }
  | { readonly type: "answer"; readonly at: number; readonly answer: string }
  | { readonly type: "failure"; readonly at: number; readonly attempt: number; readonly error: RunErrorInfo }
  | ReportedStop
  /** A line of the log, or an event in a sentence. */
  | { readonly type: "log"; readonly at: number; readonly message: string }
  /** The fields of the state that the node changed, as JSON. */
  | { readonly type: "update"; readonly at: number; readonly text: string };

/** The end of an attempt that a cancel of the run, or the end of its process, stopped. */
export interface ReportedStop {
  readonly type: "stopped";
  readonly at: number;
  readonly attempt: number;
  readonly durationMs: number;
}

/** A call of a tool by an agent. */
export interface ReportedToolCall {
  readonly type: "tool";
  readonly at: number;
  readonly kind: ToolKind;
  readonly toolName: string;
  /** What it is about, such as a command or a path. */
  readonly about: string;
  readonly output?: string;
  readonly status: "done" | "failed" | "unfinished";
  readonly durationMs?: number;
}

/** A command that a node ran. */
export interface ReportedCommand {
  readonly type: "command";
  readonly at: number;
  readonly command: string;
  /** Absent of one that was stopped. */
  readonly exitCode?: number;
  readonly durationMs: number;
  readonly output?: string;
}

/** A sub-agent of an agent. */
export interface ReportedSubagent {
  readonly type: "subagent";
  readonly at: number;
  readonly title: string;
  readonly subagentType?: string;
  readonly task?: string;
  readonly result?: string;
  readonly status: "done" | "failed" | "unfinished";
  readonly durationMs?: number;
}

/** A question of the run to a person. */
export interface ReportedQuestion {
  readonly requestId: string;
  readonly taskId?: string;
  readonly nodeId: string;
  /** Absent when it is not recorded. */
  readonly question?: string;
  readonly options: readonly string[];
  readonly askedAt: number;
  readonly answeredAt?: number;
  /** As text. Absent when nobody has answered, or the answer is not recorded. */
  readonly answer?: string;
}

/** A warning of the run. */
export interface ReportedWarning {
  readonly at: number;
  readonly message: string;
}

/** What differs between the start of a run and the working tree now. */
export interface ReportedChanges {
  readonly files: readonly ReportedFile[];
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
  /** Commits since the start, newest first. */
  readonly commits: readonly { readonly id: string; readonly subject: string }[];
}

/** A changed file. */
export interface ReportedFile {
  readonly path: string;
  readonly oldPath?: string;
  readonly status: "added" | "deleted" | "modified" | "renamed";
  /** With the number of the first line in the new version. The lines have their first character: a space, `+` or `-`. */
  readonly hunks: readonly { readonly start: number; readonly lines: readonly string[] }[];
}
