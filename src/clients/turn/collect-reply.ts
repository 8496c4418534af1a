import { type AgentEventBody, addUsage, type DeniedPermission, NO_USAGE, type Usage } from "../../contracts/index.ts";

/** What the events of a turn add up to. The next parts take over the list of the ones before, which are of no use then. */
export interface ReplyParts {
  /** The text; what was said before and after tools ran stands in paragraphs of its own. */
  readonly content: string;
  readonly usage: Usage;
  readonly toolUses: number;
  readonly deniedPermissions: DeniedPermission[];
  readonly isParagraphOver: boolean;
}

/** A turn in which nothing has happened. */
export function startReply(): ReplyParts {
  return { content: "", usage: NO_USAGE, toolUses: 0, deniedPermissions: [], isParagraphOver: false };
}

/** The reply after one more event. Depends on nothing but the parts, which it uses up, and the event. */
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
