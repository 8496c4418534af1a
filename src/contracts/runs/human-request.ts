import type { Json, JsonSchema } from "../json/json.ts";

/** One of the answers a person can choose. */
export interface RequestOption {
  readonly label: string;
  readonly description?: string;
}

/** A question that a run has put to a person. It stays open, also without a process, until somebody answers. */
export interface HumanRequest {
  /** Unique within the run, stable across restarts; `atomic runs answer` takes it. */
  readonly id: string;
  readonly nodeId: string;
  readonly question: string;
  /** A short title. */
  readonly header?: string;
  /** The answers to choose from; absent when any text is welcome. */
  readonly options?: readonly RequestOption[];
  /** The shape of the answer, for forms and other programs. */
  readonly schema?: JsonSchema;
  /** When the question answers itself, in milliseconds since 1970. */
  readonly autoApproveAt?: number;
  /** The answer it then gives. */
  readonly autoApproveValue?: Json;
  /** When it was asked, in milliseconds since 1970. */
  readonly askedAt: number;
}
