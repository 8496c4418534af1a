import { z } from "zod";
import type { Json, PermissionPolicy, RunErrorInfo, SandboxConfig } from "../../contracts/index.ts";
import type { RunBudget } from "../../graph/index.ts";
import { describeIssues } from "./describe-issues.ts";
import { parseJson } from "./parse-json.ts";
import { BrokenSessionError } from "./session-errors.ts";

/** Where a session stands. `paused`: it waits for a person, no process needed. */
export type WorkflowSessionStatus = "running" | "paused" | "completed" | "failed" | "cancelled";

/** The process that runs a session. */
export interface SessionOwner {
  readonly pid: number;
  /** ISO 8601. Distinguishes the process from a later one with the same id. */
  readonly startedAt: string;
}

/** Where a forked run comes from. */
export interface SessionOrigin {
  readonly runId: string;
  /** The `sequence` of a checkpoint. */
  readonly at: number;
}

/** The commit that a project was at when a run started. */
export interface SessionBase {
  readonly commit: string;
  /** Absent when no branch was checked out. */
  readonly branch?: string;
}

/** Settings a run keeps when another process resumes it. */
export interface SessionSettings {
  /** What the settings, the user's and a trusted project's, let agents do when it was started. */
  readonly permissions?: PermissionPolicy;
  /** What the call that started it let agents do beyond that, as it was typed. */
  readonly permissionFlags?: SessionPermissionFlags;
  /** The sandbox that its agents run in. @default none */
  readonly sandbox?: SandboxConfig;
  /** Where agents and commands work. @default the project's folder */
  readonly workingDirectory?: string;
  /** Whether the workflow is the built-in one, also where a project has one of its name. @default false */
  readonly isBuiltIn?: boolean;
  /** The real path of the workflow's file, if it is not in a folder of workflow files. @default its name finds it */
  readonly workflowFile?: string;
  /** What the workflow's function was given over its `defaultConfig`. */
  readonly workflowConfig?: Readonly<Record<string, Json>>;
  /** Where the project's repository was at the start. Absent outside of repositories, and for runs of older versions. */
  readonly base?: SessionBase;
  /** The run's budget, for all its processes together. @default no limit */
  readonly budget?: RunBudget;
  /** What records the run's agents, or answers in their place. @default neither */
  readonly recording?: SessionRecording;
}

/** A recording of a run's agents. */
export interface SessionRecording {
  /** `replay`: the recording answers, and no agent is asked. */
  readonly type: "record" | "replay";
  /** The whole path of its file. With a slash at its end, a folder that has `RUN.jsonl`. */
  readonly path: string;
}

/** Options about permissions, with which a run was started. */
export interface SessionPermissionFlags {
  /** Rules such as `shell:npm test`. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Whether everything that no rule denies is allowed. */
  readonly isYolo: boolean;
}

/** One execution of a workflow, as `session.json` keeps it. */
export interface WorkflowSession {
  readonly sessionId: string;
  readonly workflowName: string;
  readonly workflowVersion?: string;
  /** Where it is kept now; a folder that was moved is found again. */
  readonly sessionDir: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601; set by every save. */
  readonly lastUpdated: string;
  readonly status: WorkflowSessionStatus;
  /** Whether there has been a journal of it. Set a moment after its first entry. */
  readonly hasBegun?: boolean;
  readonly projectDirectory: string;
  /** The prompt and other inputs, as given at the start; those of a fork with what it was started with instead. */
  readonly input: Json;
  readonly agent?: string;
  readonly model?: string;
  /** Settings that also apply when the run is resumed. */
  readonly settings?: SessionSettings;
  /** The run, and its moment, that it was forked from. */
  readonly forkedFrom?: SessionOrigin;
  /** Whether it is a fork that no process has executed yet. Absent again when one does. */
  readonly isUnstarted?: boolean;
  /** When somebody paused it, in ISO 8601; absent again when it is resumed. */
  readonly pauseRequestedAt?: string;
  /** Why it failed. */
  readonly error?: RunErrorInfo;
  readonly owner?: SessionOwner;
  /** The nodes that ran, in order. */
  readonly nodeHistory: readonly string[];
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** The schema of `session.json`. Other fields are let through: a newer version may have written them. */
const workflowSessionSchema = z.looseObject({
  sessionId: z.string(),
  workflowName: z.string(),
  workflowVersion: z.string().exactOptional(),
  sessionDir: z.string().default(""),
  createdAt: z.iso.datetime({ offset: true }),
  lastUpdated: z.iso.datetime({ offset: true }),
  status: z.enum(["running", "paused", "completed", "failed", "cancelled"]),
  hasBegun: z.boolean().exactOptional(),
  projectDirectory: z.string(),
  input: z.custom<Json>((value) => value !== undefined, "expected a JSON value"),
  agent: z.string().exactOptional(),
  model: z.string().exactOptional(),
  settings: z.custom<SessionSettings>(isSettings, "expected settings").exactOptional(),
  error: z
    .looseObject({
      code: z.string(),
      message: z.string(),
      nodeId: z.string().exactOptional(),
      frame: z.string().exactOptional(),
      stack: z.string().exactOptional(),
      bound: z.enum(["maxSteps", "timeoutMs", "maxTokens", "maxCostUsd"]).exactOptional(),
      allowedBy: z.string().exactOptional(),
    })
    .exactOptional(),
  forkedFrom: z.looseObject({ runId: z.string(), at: z.int() }).exactOptional(),
  isUnstarted: z.boolean().exactOptional(),
  pauseRequestedAt: z.string().exactOptional(),
  owner: z.looseObject({ pid: z.int(), startedAt: z.string() }).exactOptional(),
  nodeHistory: z.array(z.string()).default([]),
  outputs: z.record(z.string(), z.unknown()).default({}),
});

/** The shape of the outside; what a policy says is checked where it is applied, and the folder is the user's own. */
function isSettings(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The names of the fields this version knows. */
export const WORKFLOW_SESSION_FIELDS: ReadonlySet<string> = new Set(Object.keys(workflowSessionSchema.shape));

/** What a `session.json` must agree with. */
export interface SessionPlace {
  readonly path: string;
  readonly sessionId: string;
  readonly sessionDir: string;
}

/**
 * Reads the text of a `session.json`, fields of other versions included.
 * @throws BrokenSessionError naming the file and all that is wrong with it
 */
export function parseWorkflowSession(text: string, { path, sessionId, sessionDir }: SessionPlace): WorkflowSession {
  const json = parseJson(text);
  if (json.type === "error") throw new BrokenSessionError(path, [json.message]);
  const parsed = workflowSessionSchema.safeParse(json.value);
  if (!parsed.success) throw new BrokenSessionError(path, describeIssues(parsed.error), { cause: parsed.error });
  if (parsed.data.sessionId !== sessionId) {
    throw new BrokenSessionError(path, [`it belongs to the session "${parsed.data.sessionId}", not to "${sessionId}"`]);
  }
  return { ...parsed.data, sessionDir };
}
