import { safeText } from "../../view/index.ts";
import type { ChatState } from "../chat/chat-state.ts";
import { expandPastes } from "../chat/compose-message.ts";
import { type DiffComments, formatComments } from "../chat/diff-comments.ts";
import type { ChatServices } from "./create-services.ts";

/** The longest text that is repeated, in characters. */
const MAX_LENGTH = 20_000;

/** What the person wrote, and the agent has not received. */
export interface UnsentTexts {
  readonly queue: ChatState["queue"];
  /** What is in the input. */
  readonly draft: string;
  readonly comments: DiffComments;
  /** Whether the comments are stored with the conversation. */
  readonly areCommentsKept: boolean;
}

/** What is not sent at this moment. Ending the chat empties the queue. */
export function readUnsent({ chat, ui, host }: Pick<ChatServices, "chat" | "ui" | "host">): UnsentTexts {
  const { queue } = chat.snapshot();
  const areCommentsKept = host.conversations?.saveEntries !== undefined;
  return { queue, draft: ui.readDraft(), comments: chat.comments.snapshot(), areCommentsKept };
}

/** The texts that are lost with the chat, for the normal screen. Empty when there is none. */
export function unsentLines({ queue, draft, comments, areCommentsKept }: UnsentTexts): readonly string[] {
  const messages = queue.map(({ text, attachments }) => expandPastes(text, attachments));
  const count = comments.comments.length;
  const title = count === 1 ? "This comment was not sent" : "These comments were not sent";
  const kept = count === 1 ? "it stays with the conversation" : "they stay with the conversation";
  return [
    ...part(queue.length === 1 ? "This message was not sent:" : "These messages were not sent:", messages),
    ...part(
      areCommentsKept ? `${title}; ${kept}:` : `${title}:`,
      count === 0 ? [] : [formatComments(comments).split("\n\n").slice(1).join("\n\n")],
    ),
    ...part("This was in the input:", draft.trim() === "" ? [] : [draft]),
  ];
}

function part(title: string, texts: readonly string[]): readonly string[] {
  if (texts.length === 0) return [];
  const lines = texts.flatMap((text) => safeText(text.slice(0, MAX_LENGTH).toWellFormed()).trimEnd().split("\n"));
  return [title, ...lines.map((line) => (line === "" ? "" : `  ${line}`))];
}
