import type { Json, JsonSchema } from "../json/json.ts";

/** One of the answers a person can choose. */
export interface RequestOption {
  readonly label: string;
  readonly description?: string;
}

/** A run's question to a person. It stays open, even when no process executes the run, until somebody answers. */
export interface HumanRequest {
  /** Unique within the run, stable across restarts; `atomic runs answer` takes it. */
  readonly id: string;
  readonly nodeId: string;
  /** A short title of the item, in a branch of a `.map`. */
  readonly item?: string;
  readonly question: string;
  /** A short title. */
  readonly header?: string;
  /** The answers to choose from. Absent when any text is accepted. */
  readonly options?: readonly RequestOption[];
  /** The schema of the answer, for forms and other programs. */
  readonly schema?: JsonSchema;
  /** When the default answer applies, in milliseconds since 1970. */
  readonly autoApproveAt?: number;
  /** The answer that applies at `autoApproveAt`. */
  readonly autoApproveValue?: Json;
  /** When it was asked, in milliseconds since 1970. */
  readonly askedAt: number;
}
