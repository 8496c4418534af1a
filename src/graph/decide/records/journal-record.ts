import type { HumanRequest, JsonObject, RunErrorInfo, RunStatus } from "../../../contracts/index.ts";
import type { RecordedGraph } from "../../compile/compare-graphs.ts";
import type { NodeCall } from "../../model/node-calls.ts";
import type { RecordedSpent } from "../../model/spent.ts";
import { decodeValue, encodeValue } from "../../state/codec.ts";
import type { DeclaredFields } from "../../state/declared-fields.ts";
import type { StateChange } from "../../state/state-update.ts";
import type { Decision, OversizedResult, RunState } from "./run-state.ts";

/** The version of the journal's format. Journals with another version are rejected. */
export const JOURNAL_FORMAT = 1;

/** An error as a journal keeps it. */
export interface RecordedError {
  readonly code: string;
  readonly message: string;
  /** Where in the user's code it was thrown, as `path:line:column`. */
  readonly frame?: string;
  /** The whole stack, of bounded length. */
  readonly stack?: string;
  /** The limit that the run exceeded, of a `RunLimitError`. */
  readonly bound?: NonNullable<RunErrorInfo["bound"]>;
  /** The permission rule that would have prevented it. */
  readonly allowedBy?: string;
}

/** The decisions and new visits that a record caused, written in one entry with it (E4). */
interface Consequences {
  readonly decisions?: readonly Decision[];
  /** Ids of the tasks that start. */
  readonly next?: readonly string[];
  /** Ids of the tasks that are dropped, including those that only just started. */
  readonly dropped?: readonly string[];
  /** Ids of the tasks whose subgraph ended. */
  readonly exited?: readonly string[];
  /** Results of subgraphs that were rejected as too large. */
  readonly oversized?: readonly OversizedResult[];
}

/** A record with its consequences; it must be the last one that was applied to the run. */
export function withConsequences(
  record: JournalRecord,
  { decisions, started, dropped, exited, oversized }: RunState,
): JournalRecord {
  const isAlone = decisions.length === 0 && started.length === 0 && dropped.length === 0;
  if (isAlone && exited.length === 0 && oversized.length === 0) return record;
  return {
    ...record,
    ...(decisions.length === 0 ? {} : { decisions }),
    ...(started.length === 0 ? {} : { next: started.map((task) => task.id) }),
    ...(dropped.length === 0 ? {} : { dropped: dropped.map((task) => task.id) }),
    ...(exited.length === 0 ? {} : { exited: exited.map(({ taskId }) => taskId) }),
    ...(oversized.length === 0 ? {} : { oversized }),
  };
}

/** Records of a run that were written and are lost. */
export interface LostRecords {
  /** How many. */
  readonly count: number;
  /** When the last record before them was written, in milliseconds since 1970. */
  readonly after: number;
  /** The visit of a node that this record belongs to; absent when it belongs to the run. */
  readonly afterTask?: string;
}

/** The fields of every record of a task. Only `spent` says what it has spent; earlier versions of Atomic wrote it into the others. */
export interface TaskRecord extends RecordedSpent {
  readonly at: number;
  readonly task: string;
  readonly node: string;
  readonly attempt: number;
}

/** Something that happened in a run. The journal is a list of records, and replaying them yields the run's state. */
export type JournalRecord =
  | ({
      readonly type: "run";
      readonly at: number;
      readonly format: number;
      readonly runId: string;
      readonly workflow: WorkflowIdentity;
      readonly fingerprint: string;
      readonly nodes: readonly string[];
      readonly input: StateChange;
      /** How the fields of the state were declared; absent in runs of earlier versions of Atomic. */
      readonly fields?: DeclaredFields;
      /** The run that this one was forked from (E11). */
      readonly forkedFrom?: { readonly runId: string; readonly sequence: number };
      /**
       * A run as a snapshot's text: the start of a forked run, or the state of a run whose journal was compacted. The rest
       * of this record does not apply then.
       */
      readonly snapshot?: string;
      /** Losses at the journal's end, from before it was compacted, that no resume has reported. */
      readonly losses?: readonly LostRecords[];
    } & Consequences)
  | (TaskRecord & {
      readonly type: "done";
      readonly startedAt: number;
      readonly update?: StateChange;
      readonly goto?: string | readonly string[];
      /** The node's name for this moment. */
      readonly label?: string;
      /** The outcome of what the node checked. */
      readonly isPassed?: boolean;
      /** The node ended its graph. */
      readonly finish?: { readonly output?: unknown };
      /** The node was skipped by a command; the update is the command's. */
      readonly isSkipped?: boolean;
    } & Consequences)
  /** A node started a subgraph. */
  | (TaskRecord & {
      readonly type: "entered";
      readonly input: StateChange;
      /** The workflow's name, if the node named one. */
      readonly name?: string;
      /** The workflow's configuration, if the node set one. */
      readonly config?: JsonObject;
      readonly fingerprint: string;
      readonly nodes: readonly string[];
    } & Consequences)
  /** A node has spent something, which is also paid for if its process is killed now. A dropped node may spend, too. */
  | (TaskRecord & { readonly type: "spent" })
  /** A node that is still in progress made a call. */
  | (TaskRecord & { readonly type: "call"; readonly call: NodeCall } & Consequences)
  /** A node that is still in progress started one of its calls again, which had failed; `index` counts its calls from 0. */
  | (TaskRecord & { readonly type: "call-again"; readonly index: number } & Consequences)
  /** A failure that a `.catch` or a fork handled. */
  | (TaskRecord & { readonly type: "failed"; readonly error: RecordedError } & Consequences)
  | (TaskRecord & {
      readonly type: "retry";
      readonly error: RecordedError;
      readonly retryAt: number;
      /** The node was restarted by a command: its earlier failures do not count. */
      readonly isRestart?: boolean;
    })
  /** The node rejected its predecessor's result; the predecessor runs again (E8). */
  | (TaskRecord & { readonly type: "refused"; readonly error: RecordedError } & Consequences)
  | (TaskRecord & {
      readonly type: "request";
      readonly request: HumanRequest;
      /** The node's update before its question. */
      readonly update?: StateChange;
      /** The target once the question is answered. */
      readonly goto?: string | readonly string[];
      readonly label?: string;
    })
  /** A node sleeps; its next record is `done`. */
  | (TaskRecord & {
      readonly type: "sleep";
      readonly startedAt: number;
      /** When it wakes, in milliseconds since 1970. */
      readonly until: number;
      /** The requested duration; absent when the node named a time. */
      readonly durationMs?: number;
      /** The node's update before it sleeps. */
      readonly update?: StateChange;
      /** The target after the sleep. */
      readonly goto?: string | readonly string[];
      readonly label?: string;
    })
  | (TaskRecord & {
      readonly type: "answer";
      readonly requestId: string;
      readonly value: unknown;
      readonly update?: StateChange;
    } & Consequences)
  | { readonly type: "step"; readonly at: number; readonly task: string; readonly key: string; readonly value: unknown }
  | ({
      readonly type: "resumed";
      readonly at: number;
      /** The run had failed: nodes that start again may start their failed calls again. */
      readonly hasFailed?: boolean;
      /** Ids of the tasks whose code only waited for its calls when the run was suspended: their attempt continues. */
      readonly continued?: readonly string[];
      /** The graph that the run continues with, when it has changed. */
      readonly graph?: RecordedGraph;
      /** The whole run as a snapshot's text, when its state was migrated to another version. */
      readonly snapshot?: string;
      /** How many records before this one were lost. */
      readonly lost?: number;
    } & Consequences)
  /** Somebody changed the state while no process executed the run. */
  | {
      readonly type: "edit";
      readonly at: number;
      /** Applied through the reducers. */
      readonly update?: StateChange;
      /** Replaces values and bypasses the reducers. */
      readonly set?: StateChange;
      /** The whole run before the edit as a snapshot's text, when its state was migrated to another version. */
      readonly snapshot?: string;
      /** How many records before this one were lost. */
      readonly lost?: number;
    }
  /** What it spent, in runs of earlier versions of Atomic, is in no other record: of nodes that ran, were dropped, or failed. */
  | (RecordedSpent & {
      readonly type: "end";
      readonly at: number;
      readonly status: Exclude<RunStatus, "running">;
      readonly error?: RecordedError & { readonly nodeId?: string };
      /** The output of a completed run. */
      readonly output?: unknown;
      /** Somebody paused the run: it continues when it is resumed, not at a time. */
      readonly isPaused?: boolean;
      /** Ids of tasks that waited for a place: the next process starts them for the first time. */
      readonly unbegun?: readonly string[];
      /** How many records before this one were lost. */
      readonly lost?: number;
    });

/** The first record of a journal. */
export type BeginningRecord = Extract<JournalRecord, { type: "run" }>;

/** The workflow that a run belongs to (E10). */
export interface WorkflowIdentity {
  readonly name: string;
  readonly version?: string;
  readonly stateVersion?: number;
}

/** Encodes a record. @throws UnserializableValueError */
export function encodeRecord(record: JournalRecord): string {
  return encodeValue(record);
}

/** Decodes a record. @throws SyntaxError */
export function decodeRecord(text: string): JournalRecord {
  // The cast is true for text that encodeRecord wrote, and the saver's checksum has verified that.
  return decodeValue(text) as JournalRecord;
}
