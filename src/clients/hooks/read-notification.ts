import { type AgentEventBody, recordOf, stringOf } from "../../contracts/index.ts";

/** Why a person may want to look at an agent. */
export interface AgentNotification {
  /**
   * The agent waits for a person (`permission`, `question`), or for a limit or a network (`waiting`), hangs, or its vendor
   * says so.
   */
  readonly kind: "permission" | "question" | "waiting" | "stalled" | "vendor";
  /** As written by the agent, its provider or its vendor: not safe for a terminal. */
  readonly message: string;
  /** When a waiting agent resumes, in milliseconds since 1970; absent if unknown. */
  readonly retryAt?: number;
}

/**
 * The vendors' own notifications, by the name of the `vendor` event, and the field with their text. OpenCode has none: its
 * `tui.toast.show` names a folder and no session, so no session receives it.
 */
const VENDOR_NOTICES: ReadonlyMap<string, string> = new Map([
  ["system/notification", "text"],
  ["system.notification", "content"],
  ["session.warning", "message"],
]);

/** The notification in an agent's event; `undefined` for most events. Pure. */
export function readNotification(event: AgentEventBody): AgentNotification | undefined {
  switch (event.type) {
    case "permission-ask":
      return { kind: "permission", message: event.request.title };
    case "question-ask":
      return { kind: "question", message: event.question.question };
    case "waiting": {
      const { message, retryAt } = event;
      return { kind: "waiting", message, ...(retryAt === undefined ? {} : { retryAt }) };
    }
    case "stalled":
      return { kind: "stalled", message: `No sign of life for ${Math.ceil(event.silentMs / 1000)} s` };
    case "vendor": {
      const field = VENDOR_NOTICES.get(event.name);
      const message = field === undefined ? "" : stringOf(recordOf(event.data)[field]);
      return message === "" ? undefined : { kind: "vendor", message };
    }
    default:
      return undefined;
  }
}
