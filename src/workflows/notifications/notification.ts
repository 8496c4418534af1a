import type { RequestOption, RunErrorInfo, RunStatus, Usage } from "../../contracts/index.ts";

/** What a notification is about: a run waits for an answer, or has ended. `test` is sent by `atomic notify test`. */
export type NotificationType = "waiting" | "completed" | "failed" | "cancelled" | "test";

/** The JSON body of a webhook. It contains no secrets that Atomic knows. */
export interface RunNotification {
  /** The same in every delivery of the same notification, so that a receiver can drop repetitions. */
  readonly id: string;
  readonly type: NotificationType;
  readonly runId: string;
  readonly workflow: string;
  /** The question that the run waits with; `atomic runs answer --request` takes it. */
  readonly requestId?: string;
  readonly question?: string;
  /** The answers to choose from. Absent when the question takes any text. */
  readonly options?: readonly RequestOption[];
  /** The command that answers the question, with a placeholder for the answer. */
  readonly answerCommand?: string;
  /** When a permission request is denied unless somebody has answered it, in ISO 8601. Absent for questions. */
  readonly deadline?: string;
  /** The status of the run once the notification is recorded. With a question: `suspended`, or `running` while other steps work. */
  readonly status: RunStatus;
  readonly error?: RunErrorInfo;
  /** Of the finished steps. */
  readonly usage: Usage;
  /** The project's folder. */
  readonly project: string;
  /** When the run asked or ended, in ISO 8601. */
  readonly at: string;
}
