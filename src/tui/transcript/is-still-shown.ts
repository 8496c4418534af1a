import type { ChangedLine } from "../../view/index.ts";
import type { ChatEntry } from "../chat/chat-entry.ts";
import { diffOf } from "./describe-entry.ts";

/**
 * Whether the latest diff of a file that shows a line still has it: no later change of the conversation removed it. Lines
 * that a diff removed are never shown again by it.
 */
export function isStillShown(line: ChangedLine, entries: readonly ChatEntry[]): boolean {
  if (line.isRemoved) return true;
  let isShown = true;
  for (const entry of entries) {
    if (entry.type !== "tool" || entry.status === "failed" || entry.status === "denied") continue;
    for (const { path, lines } of diffOf(entry)) {
      if (path !== line.path) continue;
      const same = lines.filter(({ text }) => text === line.text);
      if (same.some(({ type }) => type === "added" || type === "context")) isShown = true;
      else if (same.some(({ type }) => type === "removed")) isShown = false;
    }
  }
  return isShown;
}
