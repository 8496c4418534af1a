import type { HumanRequest, JsonObject, RunErrorInfo, RunStatus, Usage } from "../../contracts/index.ts";
import type { RecordedGraph } from "../compile/compare-graphs.ts";
import { decodeValue, encodeValue } from "../state/codec.ts";
import type { StateChange } from "../state/state-update.ts";
import type { Decision, RunState } from "./run-state.ts";

/** The version of the journal's format. A journal with another one is refused. */
export const JOURNAL_FORMAT = 1;

/** An error as a journal keeps it. */
export interface RecordedError {
  readonly code: string;
  readonly message: string;
  /** Where in the user's own code it came from, as `path:line:column`. */
  readonly frame?: string;
  /** The whole stack, of bounded length. */
  readonly stack?: string;
  /** The limit that the run exceeded, of a `RunLimitError`. */
  readonly bound?: NonNullable<RunErrorInfo["bound"]>;
}

/** What was decided, and which visits began, as a consequence of a record; written with it, in one go (E4). */
interface Consequences {
  readonly decisions?: readonly Decision[];
  /** Ids of the tasks that begin now. */
  readonly next?: readonly string[];
  /** Ids of the tasks that are given up, those that only just began included. */
  readonly dropped?: readonly string[];
  /** Ids of the tasks whose own graph has come to its end. */
  readonly exited?: readonly string[];
}

/** A record together with what the last change of a run, which was the record's, has led to. */
export function withConsequences(
  record: JournalRecord,
  { decisions, started, dropped, exited }: RunState,
): JournalRecord {
  if (decisions.length === 0 && started.length === 0 && dropped.length === 0 && exited.length === 0) return record;
  return {
    ...record,
    ...(decisions.length === 0 ? {} : { decisions }),
    ...(started.length === 0 ? {} : { next: started.map((task) => task.id) }),
    ...(dropped.length === 0 ? {} : { dropped: dropped.map((task) => task.id) }),
    ...(exited.length === 0 ? {} : { exited: exited.map(({ taskId }) => taskId) }),
  };
}

/** Records of a run that were written and are gone. */
export interface LostRecords {
  /** How many. */
  readonly count: number;
  /** When the last record before them was written, in milliseconds since 1970. */
  readonly after: number;
  /** The visit of a node that this record is about; absent when it is about the run. */
  readonly afterTask?: string;
}

/** What every record about a task says. */
export interface TaskRecord {
  readonly at: number;
  readonly task: string;
  readonly node: string;
  readonly attempt: number;
}

/** One thing that happened in a run. The journal is a list of these; a run's state is what they add up to. */
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
      /** Where a run came from that was forked from another one (E11). */
      readonly forkedFrom?: { readonly runId: string; readonly sequence: number };
      /**
       * A run as a snapshot's text: what a forked one begins with, or where one stood whose journal was compacted.
       * Nothing else of this record applies then.
       */
      readonly snapshot?: string;
      /** What the journal had lost at its end before it was compacted, and no resume has reported. */
      readonly losses?: readonly LostRecords[];
    } & Consequences)
  | (TaskRecord & {
      readonly type: "done";
      readonly startedAt: number;
      readonly update?: StateChange;
      readonly goto?: string | readonly string[];
      /** What the node calls this moment. */
      readonly label?: string;
      /** The node brought its graph to the end. */
      readonly finish?: { readonly output?: unknown };
      /** Somebody had the run go on without the node; the update is theirs. */
      readonly isSkipped?: boolean;
      readonly usage?: Usage;
    } & Consequences)
  /** A node began a graph of its own within the run. */
  | (TaskRecord & {
      readonly type: "entered";
      readonly input: StateChange;
      readonly usage?: Usage;
      /** Of the workflow, where the node gave one. */
      readonly name?: string;
      /** What that workflow was built with, where the node said so. */
      readonly config?: JsonObject;
      readonly fingerprint: string;
      readonly nodes: readonly string[];
    } & Consequences)
  /** A failure that a `.catch` or a fork has taken. */
  | (TaskRecord & { readonly type: "failed"; readonly error: RecordedError; readonly usage?: Usage } & Consequences)
  | (TaskRecord & {
      readonly type: "retry";
      readonly error: RecordedError;
      readonly retryAt: number;
      /** Somebody had the node begin again: its failures before that do not count. */
      readonly isRestart?: boolean;
      readonly usage?: Usage;
    })
  /** The node refused what the one before it made; that one runs again (E8). */
  | (TaskRecord & { readonly type: "refused"; readonly error: RecordedError; readonly usage?: Usage } & Consequences)
  | (TaskRecord & {
      readonly type: "request";
      readonly request: HumanRequest;
      /** What the node changed before it asked. */
      readonly update?: StateChange;
      /** Where the run goes once there is an answer. */
      readonly goto?: string | readonly string[];
      readonly label?: string;
      readonly usage?: Usage;
    })
  /** A node rests; its next record says that it is done. */
  | (TaskRecord & {
      readonly type: "sleep";
      readonly startedAt: number;
      /** When it wakes, in milliseconds since 1970. */
      readonly until: number;
      /** How long it was to rest; absent where the moment was given. */
      readonly durationMs?: number;
      /** What the node changed before. */
      readonly update?: StateChange;
      /** Where the run goes then. */
      readonly goto?: string | readonly string[];
      readonly label?: string;
      readonly usage?: Usage;
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
      /** The graph the run goes on with, when it is another one than before. */
      readonly graph?: RecordedGraph;
      /** The whole run as a snapshot's text, when its state was brought to another version. */
      readonly snapshot?: string;
      /** How many records were lost that stood before this one. */
      readonly lost?: number;
    } & Consequences)
  /** Somebody changed the state while no process executed the run. */
  | {
      readonly type: "edit";
      readonly at: number;
      /** Combined with the state by the fields' reducers. */
      readonly update?: StateChange;
      /** Takes the place of the fields' values. */
      readonly set?: StateChange;
      /** The whole run before that as a snapshot's text, when its state was brought to another version. */
      readonly snapshot?: string;
      /** How many records were lost that stood before this one. */
      readonly lost?: number;
    }
  | {
      readonly type: "end";
      readonly at: number;
      readonly status: Exclude<RunStatus, "running">;
      readonly error?: RecordedError & { readonly nodeId?: string };
      /** What a completed run has come to. */
      readonly output?: unknown;
      /** What the node that failed has spent. */
      readonly usage?: Usage;
      /** Ids of tasks whose turn had not come: the next process begins them for the first time. */
      readonly unbegun?: readonly string[];
      /** How many records were lost that stood before this one. */
      readonly lost?: number;
    };

/** What a journal begins with. */
export type BeginningRecord = Extract<JournalRecord, { type: "run" }>;

/** Which workflow a run belongs to (E10). */
export interface WorkflowIdentity {
  readonly name: string;
  readonly version?: string;
  readonly stateVersion?: number;
}

/** The text of a record. @throws UnserializableValueError */
export function encodeRecord(record: JournalRecord): string {
  return encodeValue(record);
}

/** Reads a record's text. @throws SyntaxError */
export function decodeRecord(text: string): JournalRecord {
  // The cast is true for text that encodeRecord wrote; the saver's checksum has shown that it did.
  return decodeValue(text) as JournalRecord;
}
