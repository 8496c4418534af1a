import type { ChatController } from "../chat/chat-controller.ts";
import type { CommentStore } from "../chat/comment-store.ts";
import { FoldStore } from "./fold-store.ts";

/** What the views of a conversation remember while others are shown. */
export interface TranscriptMemory {
  readonly folds: FoldStore;
  readonly comments: CommentStore;
  /** The field of a comment or a search that is being written. A request that covers it passes on what is typed meanwhile. */
  openField: TextReceiver | undefined;
}

/** A field that receives text. */
export interface TextReceiver {
  readonly insert: (text: string) => void;
}

const MEMORIES = new WeakMap<ChatController, TranscriptMemory>();

/** The memory of a conversation's views. */
export function memoryOf(chat: ChatController): TranscriptMemory {
  const known = MEMORIES.get(chat);
  if (known !== undefined) return known;
  const memory: TranscriptMemory = { folds: new FoldStore(), comments: chat.comments, openField: undefined };
  MEMORIES.set(chat, memory);
  return memory;
}
