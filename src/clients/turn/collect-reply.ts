import { type AgentEventBody, addUsage, type DeniedPermission, NO_USAGE, type Usage } from "../../contracts/index.ts";

/** The sum of a turn's events. The next parts take over the list of the previous ones, which are no longer valid. */
export interface ReplyParts {
  /** The text; texts before and after a tool ran are separate paragraphs. */
  readonly content: string;
  readonly usage: Usage;
  readonly toolUses: number;
  readonly deniedPermissions: DeniedPermission[];
  readonly isParagraphOver: boolean;
  /** How much of the text is of earlier model calls: it stays when an answer starts again. */
  readonly keptLength: number;
}

/** A turn without events. */
export function startReply(): ReplyParts {
  return { content: "", usage: NO_USAGE, toolUses: 0, deniedPermissions: [], isParagraphOver: false, keptLength: 0 };
}

/** The reply after one more event. Depends only on the event and the parts, which it consumes. */
export function collectReply(reply: ReplyParts, event: AgentEventBody): ReplyParts {
  switch (event.type) {
    case "text-delta": {
      if (!reply.isParagraphOver) return { ...reply, content: reply.content + event.text };
      // A message begins with an empty line of its own where another one is before it.
      const text = event.text.replace(/^\n+/, "");
      if (text === "") return reply;
      const gap = reply.content === "" ? "" : "\n\n";
      return { ...reply, content: reply.content + gap + text, isParagraphOver: false };
    }
    case "text-restart":
      return { ...reply, content: reply.content.slice(0, reply.keptLength), isParagraphOver: true };
    case "tool-start":
      return { ...reply, toolUses: reply.toolUses + 1, isParagraphOver: true, keptLength: reply.content.length };
    case "usage":
      return { ...reply, usage: addUsage(reply.usage, event.usage), keptLength: reply.content.length };
    case "permission-denied":
      reply.deniedPermissions.push(event.denied);
      return reply;
    default:
      return reply;
  }
}
