import { type AgentEventBody, addUsage, type DeniedPermission, NO_USAGE, type Usage } from "../../contracts/index.ts";

/** The sum of a turn's events. The next parts take over the list of the previous ones, which are no longer valid. */
export interface ReplyParts {
  /** The text; texts before and after a tool ran are separate paragraphs. */
  readonly content: string;
  readonly usage: Usage;
  readonly toolUses: number;
  readonly deniedPermissions: DeniedPermission[];
  readonly isParagraphOver: boolean;
}

/** A turn without events. */
export function startReply(): ReplyParts {
  return { content: "", usage: NO_USAGE, toolUses: 0, deniedPermissions: [], isParagraphOver: false };
}

/** The reply after one more event. Depends only on the event and the parts, which it consumes. */
export function collectReply(reply: ReplyParts, event: AgentEventBody): ReplyParts {
  switch (event.type) {
    case "text-delta": {
      const gap = reply.isParagraphOver && reply.content !== "" ? "\n\n" : "";
      return { ...reply, content: reply.content + gap + event.text, isParagraphOver: false };
    }
    case "tool-start":
      return { ...reply, toolUses: reply.toolUses + 1, isParagraphOver: true };
    case "usage":
      return { ...reply, usage: addUsage(reply.usage, event.usage) };
    case "permission-denied":
      reply.deniedPermissions.push(event.denied);
      return reply;
    default:
      return reply;
  }
}
