import { safeLine } from "../../view/index.ts";
import type { Attachment, QueuedMessage } from "./chat-state.ts";
import type { CommentStore } from "./comment-store.ts";
import { expandPastes } from "./compose-message.ts";
import { countComments, type DiffComment, formatComments } from "./diff-comments.ts";

/** The longest place in a label, in columns. */
const MAX_PLACE = 60;

/**
 * A message that is taken back into the input: in the place of its comments is a label, as for a pasted text. So they can be
 * sent with it once only, and stay open where somebody deletes the label.
 */
export function withCommentLabel({ comments = [], ...message }: QueuedMessage): QueuedMessage {
  const { text, attachments } = message;
  const [first] = comments;
  // A message that was in the input before has its label.
  if (first === undefined || attachments.some((attachment) => attachment.comments !== undefined)) return message;
  const { path, number } = first.line;
  const place = safeLine(number === undefined ? path : `${path}:${number}`, MAX_PLACE);
  const label = `[${countComments(comments.length)}, ${place}]`;
  return { ...message, text: label, attachments: [...attachments, { label, part: { type: "text", text }, comments }] };
}

/** A message with the attachments and comments that it is sent with. */
export type LabelledMessage = Pick<QueuedMessage, "text" | "attachments" | "comments">;

/** What is said of a message that is nothing but comments that were sent. */
export const ALREADY_SENT = "These comments were sent already, or removed.";

/**
 * A message in which labels stand for comments that are still open, as they are now: no comment is in two messages. Undefined
 * where nothing is left of it. The comments are for `markSent` and `returnUnsent` of the store.
 */
export function takeOpenComments(message: LabelledMessage, store: CommentStore): LabelledMessage | undefined {
  const { text, attachments, comments = [] } = message;
  if (attachments.every((attachment) => attachment.comments === undefined)) return message;
  const taken: DiffComment[] = [];
  const resolved = attachments.map((attachment): Attachment => {
    if (attachment.comments === undefined) return attachment;
    const open = store.startSendingOn(attachment.comments.map(({ line }) => line));
    taken.push(...open);
    const part = open.length === 0 ? "" : formatComments({ comments: open }, store.contents());
    return { ...attachment, part: { type: "text", text: part } };
  });
  if (expandPastes(text, resolved).trim() === "") return undefined;
  return { text, attachments: resolved, comments: [...comments, ...taken] };
}
