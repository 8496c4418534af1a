import { safeText } from "../../view/index.ts";
import type { ChatEntry } from "./chat-entry.ts";

/** The last text of the agent, safe to paste. Undefined when it has said nothing. */
export function lastAnswerOf(entries: readonly ChatEntry[]): string | undefined {
  const last = entries.findLast((entry) => entry.type === "text");
  return last?.type === "text" ? safeText(last.text).trim() : undefined;
}
